// `dim` is for operators with one dimension behind `..`: others have no such parameter, and a number more is a number too many.
main {
    let x = ones([2, 3]);
    print(exp(x, dim = 2));            //~ PML0203@18
    print(exp(x, 2));                  //~ PML0203@18
    print(transpose(x, 0, 1));         //~ PML0203@24
    print(argmax(x, 1));               //~ PML0203@21
    print(argmax(x, dim = 1));
}
