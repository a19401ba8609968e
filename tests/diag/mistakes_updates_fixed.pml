const C : int = 3;
main {
    let fixed = zeros([3]);
    fixed[0] = 1.0;  //~ PML0112
    C[0] = 2;  //~ PML0112
    other[0] = 1.0;  //~ PML0101
}
