// Elements of lists by an int that only the running program knows, assigned: in functions, their derivatives, and loops of the host.
//% ranks 1 2 (3)
const N : int = 1;
place p = ranks(0..N);
config n : int = 3;
struct Layer { up: f64[2] @ p = zeros(), down: f64[2] @ p = ones() }
param ws : [3] f64[2] @ p = ones();
param layers : [2] Layer;

fn run(x: f64[2] @ p) {
    var l = [x, 2.0 * x, 3.0 * x];
    var c = [0, 0, 0];
    for i in 0..n + 1 {
        let k = (i * 2) % 3;
        l[k] = 0.5 * l[k] + sin(l[(k + 1) % 3]);
        l[k][0] = l[k][0] * 2.0;
        c[k] += i;
    }
    return (sum(l[0] * l[1] * l[2]), c[0], c[1]);
}
fn value(x: f64[2] @ p) -> f64 @ p { let (v, a, b) = run(x); return v; }
fn slope(x: f64[2] @ p) -> f64 @ p { let g = grad(value, wrt = "x")(x); return sum(g * g * x); }
fn check(f, x, d) {
    let e = 1e-5;
    let wanted = (f(x + e * d) - f(x - e * d)) / (2.0 * e);
    assert(abs(sum(grad(f, wrt = "x")(x) * d) - wanted) < 1e-6 * (1.0 + abs(wanted)));
}
main {
    let x = [0.3, -0.4] as f64 to @p;
    print(run(x));
    check(value, x, [0.2, 0.5] as f64 to @p);
    check(slope, x, [0.2, 0.5] as f64 to @p);
    var l = [1.0, 2.0, 3.0];
    var t = [x, x];
    var pairs = [(1, x), (2, x)];
    for i in 0..n {
        l[i] += 0.5 * i;
        l[-1 - i] = l[-1 - i] * 2.0;
        t[i % 2] = t[i % 2] * 2.0 + x;
        pairs[(i + 1) % 2] = (i, t[0]);
        ws[i] = ws[i] + i * x;
        layers[i % 2].up = layers[i % 2].up + x;
        layers[i % 2].down[1] += 1.0;
    }
    print(l, t, pairs);
    print(ws[0], ws[1], ws[2]);
    print(layers[0].up, layers[1].up, layers[0].down, layers[1].down);
}
