main {
    let a = ones([3, 4]);
    let q[i] = a[i, k];                       //~ PML0101
    let r[i] = sum[k] a[i, k];
    print(sum(r));
}
