fn doubled(n: int) {
    var r = [1];
    for i in 0..n { r = r + r; }                 //~ PML0207
    return r;
}
main {
    let a = [1, 2] + [3];
    let b = [1, 2] + 3;                          //~ PML0204
    let c = [1, 2] - [3];                        //~ PML0204
    let d = (1, 2) + [3];                        //~ PML0204
    print(sum(ones(doubled(40))), sum(ones(a)));
}
