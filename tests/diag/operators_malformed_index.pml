main {
    let a = ones([9]);
    let x = ones([3]);
    let f[i] = sum[j] a[i * j] * x[i] * x[j];     //~ PML0601
    let g[i] = sum[j] a[2 * i + j] * x[i] * x[j];
    let h[i] = a[x[i]] * x[i];                //~ PML0601
    let k[i] = a[0..2] * x[i];                //~ PML0601
    print(sum(g));
}
