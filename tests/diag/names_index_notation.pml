op matmul2(a[.., m, k], b[k, n]) -> [.., m, n] = sum[k] a * b using gemm;
op embed2(t[v, d], i[..]: int) -> [.., d] = t[i, d];
op window(x[n, 2*y+p], w[p]) -> [n, y] = sum[p] x * w;
op wrong(a[m]) -> [m] = a * c;                 //~ PML0101@29
op scaled(a[..], by: float = 2.0) -> [..] = a * by;
fn f(a, w) {
    let q[c, n] = sum[d] a[n, d] * w[d, c];
    let r[c, n] = sum[d] a[n, e] * w[d, c];    //~ PML0101@31
    let s = sum[d, d] a[d];                    //~ PML0102@20
    let t[c, c] = a[c];                        //~ PML0102@14
    let u[c + 1] = a[c];                       //~ PML0117@11 PML0101@22
    for v[k] in a { }                          //~ PML0117@9
    let (x[i], y) = (a, w);                    //~ PML0117@10
    let z[.., k] = a[.., k];
    return q;
}
