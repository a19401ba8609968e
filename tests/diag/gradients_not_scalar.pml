fn f[n](x: f32[n]) { return x * x; }
fn g[n](x: f32[n]) { return sum(x * x); }
fn h[n](x: f32[n]) { return 3; }
main {
    let x = ones([3]);
    print(grad(g)(x));
    print(grad(f)(x));                        //~ PML0410
    print(grad(h)(x));                        //~ PML0410
    print(vjp(f)(x, x)[1]);
}
