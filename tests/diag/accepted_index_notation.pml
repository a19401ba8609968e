main {
    let a = ones([2, 3, 4]);
    let w = ones([4, 2, 5]);
    let q[c, h, n, t] = sum[d] a[n, t, d] * w[d, c, h];
    let m[t, u] = if u <= t => 1.0 else 0.0 * a[0, t, 0] * a[0, u, 0];
    let r[n] = max[t, d] a[n, t, d];
    let s[.., d] = a[.., d] * 2.0;
    let e = sum[n, t, d] a[n, t, d];
    print(sum(q), sum(m), sum(r), sum(s), e);
}
