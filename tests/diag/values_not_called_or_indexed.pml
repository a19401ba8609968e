main {
    let a = 3;
    print(a(4));                              //~ PML0208@11
    print(a[0]);                              //~ PML0208@11
    print(sum(relu("x")));                    //~ PML0208
    print(reshape(3, [1]));                   //~ PML0208
}
