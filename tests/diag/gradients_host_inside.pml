config n : int = 2;
fn f[k](x: f32[k]) { print(format(sum(x), digits = 3)); return sum(x); }      //~ PML0411
fn g[k](x: f32[k]) { var y = x; for i in 0..n { y = y * x; } return sum(y); }
fn h[k](x: f32[k]) { var y = x; for i in 0..3 { y = y * x; } return sum(y); }
fn j[k](x: f32[k]) { var y = x; if sum(x) > 0.0 { y = -x; } return sum(y); }
main {
    let x = ones([3]);
    print(grad(h)(x));
    print(grad(f)(x));
    print(grad(g)(x));
    print(grad(j)(x));
}
