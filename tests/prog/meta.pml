// Steps of gradient descent on a copy of the params, and the derivative of what comes of them by the params themselves (MAML; Finn et al., 2017):
// gradients by a struct, fields and elements of variables that change, in loops that the running program counts. Tasks are split over ranks by
// their rows. Values: another program (PyTorch).
//% ranks 1 2 (3 4)
//% args --turns=3
//% rtol 1e-9
import std.optim;
const N : int = 1;
place p = ranks(0..N);
struct Net[p: place] { w : f64[1, 8] @ p = zeros(), b : f64[8] @ p = zeros(), v : f64[8, 1] @ p = zeros() }
param net : Net[p];
config turns : int = 1;

fn error(n, x, y) {
    let d = tanh(x @ n.w + n.b) @ n.v - y;
    return mean(d * d) to B;
}
fn adapted(n, x, y) {
    var m = n;
    for i in 0..turns {
        let g = grad(error, wrt = "n")(m, x, y);
        m.w = m.w - 0.1 * (g.w to B);
        m.b = m.b - 0.1 * (g.b to B);
        m.v -= 0.1 * (g.v to B);
    }
    return m;
}
fn task(k: int) { return (linspace(-2.0, 2.0, 12, dtype = f64) + 0.3 * k); }
fn rows(x) { return reshape(x, [12, 1]) to @p : S(0); }
fn wave(x, k: int) { return (1.0 + k) * sin(x + 0.5 * k); }
fn objective() {
    var total = 0.0;
    for k in 0..3 {
        let (x, z) = (task(k), task(k) + 0.15);
        total += error(adapted(net, rows(x), rows(wave(x, k))), rows(z), rows(wave(z, k)));
    }
    return total;
}

// Tuples and lists.
fn products(pair, x) { let (a, l) = pair; return sum(a * l[0] * l[1] * x); }
fn inner(pair) { let (a, b) = pair; return sum(a * b); }
fn of_gradient(g: gradient, x) {
    var total = 0.0;
    each (q, d) in g { total += sum(d * d); }
    return total * sum(x);
}
fn g_of_b() { return grad(objective)().net.b; }

main {
    net.w = reshape(0.3 * iota(8) as f64 - 1.0, [1, 8]);
    net.b = 0.1 * iota(8) as f64;
    net.v = reshape(0.5 - 0.1 * iota(8) as f64, [8, 1]);
    let (l, g) = value_and_grad(objective)();
    print(l, g.net.w, g.net.b, g.net.v[2, 0]);
    for step in 0..30 { optim.adam(grad(objective)(), lr = 0.02); }
    print(objective() < 0.7 * l);

    let a = [1.0, 2.0] as f64;
    let ((da, dl), dx) = grad(products, wrt = ("pair", "x"))((a, [3.0 * a, 2.0 * a]), ones([2], dtype = f64));
    print(da, dl[0], dl[1], dx);
    print(grad(inner)((a, 2.0 * a))[1]);
    let d = grad(of_gradient, wrt = "g")(grad(objective)(), a);
    print(max(abs(d.net.b - 6.0 * g_of_b())));
    var m = net;
    let w = m.w;
    for i in 0..turns { m.w += w; m.b[i] = 7.0; }
    var t = [1, 2, 3];
    t[1] = 5;
    for i in 0..turns { t[2] += i; }
    print(max(abs(m.w - 4.0 * net.w)), m.b[0..4] - 7.0 > 0.0 - 0.1, t[1], t[2], max(abs(net.w - w)));
}
