param w : f32[4] = ones();
param v : f32[4] = ones();
fn f(x) { return sum(w * x * x); }
fn g(x, y) { return sum(x * y); }
fn h(x) { return sum(grad(f, wrt = "x")(x) * v); }
main {
    let x = ones([4]);
    let (l, d) = value_and_grad(f)(x);
    print(l, d.w, grad(g)(x, x)[0], grad(g, wrt = "y")(x, x), grad(h)(x).v, grad(h)(x).w);
    let (y, dy) = jvp(f)(x, x);
    let (z, (a, b)) = vjp(g)(x, x, full(1.0, []));
    print(y, dy, z, sum(a), sum(b));
    each (p, e) in d { p = p - 0.1 * e; }
    each (p, e) in d { }
    w = w - 0.1 * d.w;
}
