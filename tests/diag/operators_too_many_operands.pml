main {
    let a = ones([3]); let b = ones([3]); let c = ones([3]); let d = ones([3]); let e = ones([3]);
    let f = ones([3]); let g = ones([3]); let h = ones([3]); let k = ones([3]);
    let q[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i] + k[i];    //~ PML0606
    let r[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i];
    print(sum(r));
}
