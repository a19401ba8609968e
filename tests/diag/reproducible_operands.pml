// A sum takes one operand more with --reproducible: its unit.
// pmlc: --reproducible
place p = ranks(0..2);
op many(a[k], b[k], c[k], d[k], e[k], f[k], g[k], h[k]) -> [] = sum[k] a * b * c * d * e * f * g * h;

main {
    let t = uniform(rng(2), [6]) to @p : B;
    print(many(t, t + 1.0, t + 2.0, t + 3.0, t + 4.0, t + 5.0, t + 6.0, t + 7.0));    //~ PML0321
    print(many(t, t, t, t, t, t, t, t + 7.0));
}
