op f(a[i]) -> [i] = max{a, 0); //~ PML0001@24
op g(a[i]) -> [i] = a * 2;
main {
    let x = zeros([4];       //~ PML0003@22
    print(sum(f(x});         //~ PML0003@18
    for i in 0..3 { print(i); }
}
