// A `var` that a loop changes is no size, however its values might be found.
main {
    var n = 4;
    for i in 0..2 {
        print(iota(n));                       //~ PML0205
        print(ones([n]));                     //~ PML0205
        print(reshape(iota(8), [n, -1]));     //~ PML0205
        n = 2 * n;
    }
}
