// A factor that is taken off a number counts from there to the first element, if there is one there.
main {
    let x = iota(5);
    let a[k] = x[4 - k];
    let b[k] = x[7 - k];           //~ PML0602
    let c[k] = x[-1 - k];          //~ PML0602
    let d[j, k] = x[j - k];        //~ PML0602
    let e[k] = x[(4 - k) / 2];     //~ PML0602
    print(a, b, c, d, e);
}
