main {
    let a = ones([3]); let b = ones([3]); let c = ones([3]); let d = ones([3]); let e = ones([3]);
    let f = ones([3]); let g = ones([3]); let h = ones([3]); let k = ones([3]); let l = ones([3]);
    let m = ones([3]); let n = ones([3]); let o = ones([3]);
    let q[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i] + k[i] + l[i] + m[i] + n[i] + o[i];    //~ PML0606
    let r[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i] + k[i] + l[i] + m[i] + n[i];
    print(sum(r));
}
