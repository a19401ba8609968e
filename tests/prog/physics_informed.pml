// A network that is to solve a differential equation: its second derivative by the place, point by point, in a loss that is differentiated by its params.
// Values: expected.py (torch).
//% ranks 1 (2) 3 (4)
//% rtol 1e-5
const N : int = 1;
place all = ranks(0..N);
struct Net { w : f64[1, 6] @ all = zeros(), b : f64[6] @ all = zeros(), v : f64[6] @ all = zeros() }
param net : Net;
fn u(x: f64[]) { return sum(tanh(x * net.w[0] + net.b) * net.v); }
fn du(x: f64[]) { return grad(u, wrt = "x")(x); }
fn residual(x: f64[]) { let (d, dd) = value_and_grad(du, wrt = "x")(x); return dd + d * u(x) - sin(x); }
fn loss(x: f64[11] @ all : S(0)) { return mean(square(vmap(residual)(x))) to B; }
main {
    net.w = reshape(1.0 + sin(iota(6) as f64), [1, 6]);
    net.b = cos(iota(6) as f64);
    net.v = sin(iota(6) as f64 * 3.0);
    let x = iota(11) as f64 / 5.0 - 1.0 to @all : S(0);
    let (l, g) = value_and_grad(loss)(x);
    print(l, g.net.w, g.net.b, g.net.v);
}
