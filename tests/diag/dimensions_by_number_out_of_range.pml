main {
    let x = ones([2, 3, 4]);
    print(sum(x, dim = -4));                  //~ PML0210
    print(sum(x, dim = 3));                   //~ PML0210
    print(max(x, dim = -2147483648));         //~ PML0210
    print(argmax(x, dim = 1000000000000));    //~ PML0210
    print(softmax(x, dim = -8));              //~ PML0210
}
