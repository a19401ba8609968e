fn f(a) { return exp(a); }
fn squared(a, x, da) { return da * da; }
fn fine(a, x, da) { return where(a > 1.5, x * da, 0.0) + x * where(a > 1.5, 0.0, da); }
fn g1(a) { return sum(custom_jvp(f, squared)(a)); }         //~ PML0416@37
fn g2(a) { return sum(custom_jvp(f, fine)(a)); }
main {
    let a = [1.0, 2.0] as f32;
    print(grad(g2)(a));
    print(grad(g1)(a));
}
