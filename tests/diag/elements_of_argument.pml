fn f[n](x: f32[n]) { return sum(x); }
fn g[n, t: float](x: t[n]) { return sum(x); }
main {
    let i = iota(3);
    print(f(i));                              //~ PML0202@13
    print(g(i));                              //~ PML0202@13
    print(f(i as f32), g(i as f64));
    print(sum(pick(zeros([3, 2]), zeros([3]))));    //~ PML0202
}
