op nothing(x[i]) -> [i, j] = x;               
op something(x[i], j: int) -> [i, j] = x;
main {
    print(sum(something(ones([3]), 4)));
    print(sum(nothing(ones([3]))));           //~ PML0602
    let q[i] = 1.0;                           //~ PML0602
}
