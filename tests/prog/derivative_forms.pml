// Derivatives by structs, tuples and lists in each other, and of functions that give several results in such forms: cotangents and tangents have
// the form of what they belong to. Compared with differences in f64; <ct, J v> is the same forwards and backwards. Structs as vectors.
//% ranks 1 2 (3 4)
const N : int = 1;
place p = ranks(0..N);
config n : int = 2;
struct Layer[on: place] { w : f64[2, 2] @ on = normal(std = 0.5), b : f64[2] @ on = normal(std = 0.3) }
struct Net[on: place] { up : Layer[on], down : [2] Layer[on], scale : f64 @ on = 1.5 }
param net : Net[p];
param other : Net[p];

fn layer(l, x) { return tanh(x @ l.w + l.b); }
fn outputs(m, pair) {
    let (x, more) = pair;
    var y = layer(m.up, x);
    for i in 0..n { y = layer(m.down[0], y) + more[0]; if sum(y) > 100.0 { return (y, [sum(y), m.scale], n); } }
    return (y * m.scale, [sum(y * more[1]), sum(x * x)], n);
}
fn total(m, pair) { let (y, s, k) = outputs(m, pair); return sum(y * y) + s[0] * s[1] * k; }
fn with_metrics(m, pair) { let (y, s, k) = outputs(m, pair); return (sum(y * y), (s[0], max(y)), k); }
fn by_net(m) { return total(m, ([0.3, -0.2] as f64 to @p, [ones([2], dtype = f64), ones([2], dtype = f64)])); }
fn by_params(x: f64[2]) { return sum(layer(net.up, x) * net.scale) * other.scale; }
fn inner(a, b) { return sum(a.up.w * b.up.w) + sum(a.up.b * b.up.b) + sum(a.down[0].w * b.down[0].w) + sum(a.down[0].b * b.down[0].b) + a.scale * b.scale; }
fn host_number(x: f64[2]) { var s = 0.0; for i in 0..n { if s < 3.0 { s = s + 1.0; } } return s * sum(x * x) * 2.0; }
fn as_number(x: f64[2]) { if sum(x) > 100.0 { return 0.0; } var s = 0.0; for i in 0..n { s += sum(x * x); } return s; }

fn cubic(a: f32, b: f32) { return a * a * a * b; }
fn sine(a) { return sin(a); }
fn squared(a: f64[2]) { return a * a; }
main {
    let x = [0.5, -1.0] as f64 to @p;
    let more = [x * 0.1, x + 1.0];
    let v = 0.3 * (other - net / 2.0) - -other;
    let eps = 0.00001;
    // Forwards against differences.
    let ((y, s, k), (dy, ds, dk)) = jvp(outputs)(net, (x, more), v, (x, more));
    let (y1, s1, k1) = outputs(net + eps * v, (x + eps * x, [more[0] + eps * more[0], more[1] + eps * more[1]]));
    let (y0, s0, k0) = outputs(net - eps * v, (x - eps * x, [more[0] - eps * more[0], more[1] - eps * more[1]]));
    assert_close(dy, (y1 - y0) / (2.0 * eps), rtol = 1e-6, atol = 1e-8);
    assert_close(ds[0], (s1[0] - s0[0]) / (2.0 * eps), rtol = 1e-6, atol = 1e-8);
    assert_close(ds[1], (s1[1] - s0[1]) / (2.0 * eps), rtol = 1e-6, atol = 1e-8);
    print(dk, y, k);
    // Backwards against forwards.
    let (r, (dn, (dx, dm))) = vjp(outputs)(net, (x, more), (x, [0.7, 1.0 * s[0]], 0));
    let backward = inner(dn, v) + sum(dx * x) + sum(dm[0] * more[0]) + sum(dm[1] * more[1]);
    assert_close(backward, sum(x * dy) + 0.7 * ds[0] + s[0] * ds[1], rtol = 1e-10, atol = 1e-10);
    print(dn, dx, dm);
    // Second order, by a struct.
    let hv = hessian_vector(by_net, net, v);
    let g1 = grad(by_net, wrt = 0)(net + eps * v);
    let g0 = grad(by_net, wrt = 0)(net - eps * v);
    assert_close(inner(hv, v), inner((g1 - g0) / (2.0 * eps), v), rtol = 1e-5, atol = 1e-7);
    print(hv);
    // Metrics beside the loss; arguments and params in one derivative.
    let ((l, (a, b), c), (gn, gp)) = value_and_grad(with_metrics, wrt = ("m", "pair"))(net, (x, more));
    print(l, a, b, c, gn.up, gp);
    print(value_and_grad(by_params)(x), grad(by_params, wrt = other)(x), vjp(by_params)(x, 2.0));
    check_gradient(host_number, x);
    check_gradient(as_number, x);
    net = net - 0.1 * gn;
    print(net.up.w, net.scale);
    // Numbers of the host are what a derivative is by where there is nothing else, or where they are named.
    assert_close(grad(cubic)(2.0, 3.0)[0] + grad(cubic, wrt = "b")(2, 3.0), 44.0);
    assert_close(grad(grad(cubic, wrt = "a"), wrt = ("a", "b"))(2.0, 3.0)[1], 12.0);
    assert_close(grad(grad(sine))(0.5), -sin(0.5), rtol = 1e-6);
    assert_close(vmap(grad(grad(cubic, wrt = 0), wrt = 0), over = "a")([1.0, 2.0], 3.0), [18.0, 36.0]);
    assert_close(jvp(cubic)(2.0, 3.0, 1, 0.5)[1], 40.0);
    assert_close(jvp(squared)([1.0, 2.0] as f64, [1.0, 0.5])[1], [2.0, 2.0]);
}
