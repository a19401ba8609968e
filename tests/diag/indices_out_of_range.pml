main {
    let x = zeros([10, 2]);
    print(x[9, 0], x[-1, 1], sum(x[2..10]));
    print(x[10, 0]);                          //~ PML0210@13
    print(x[-11, 0]);                         //~ PML0210@13
    print(sum(x[5..11]));                     //~ PML0210
    print(sum(x[5..2]));                      //~ PML0210
    print(sum(sum(x, dim = 2)));              //~ PML0210
    print([1, 2][2]);                         //~ PML0210
    print(sum(x[.., 0, ..]));                 //~ PML0210
    print(sum(permute(x, [0, 0])));           //~ PML0210
}
