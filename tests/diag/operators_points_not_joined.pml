op count(i[n]: int, v: int) -> [i < v] = sum[n] 1;
op joined(i[n]: int, v: int) -> [i < v] = 1;  //~ PML0604
main {
    print(sum(count(iota(3), 4)));
    print(sum(joined(iota(3), 4)));
}
