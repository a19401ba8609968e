// A layer that is the fixed point of another: found by a loop of the host, its derivatives by the theorem of implicit functions, with vjp in a loop.
// Values: expected.py (torch).
//% ranks 1 2 (3 4)
//% rtol 1e-5
const N : int = 1;
place all = ranks(0..N);
param w : f64[4, 4] @ all = zeros();
fn f(w, z, x) { return tanh(z @ w + x); }
fn solve(w, x) {
    var z = 0.0 * x;
    var e = 1.0;
    while e > 1e-12 {
        let n = f(w, z, x);
        e = max(abs(n - z)) to B;
        z = n;
    }
    return z;
}
fn adjoint(w, z, x, g) {
    var a = g;
    for i in 0..60 {
        let (y, (dw, dz, dx)) = vjp(f)(w, z, x, a);
        a = g + dz;
    }
    return a;
}
fn loss_of(z) { return sum(z * z * z) to B; }
main {
    w = reshape(0.4 * sin(iota(16) as f64), [4, 4]);
    let x = reshape(cos(iota(28) as f64), [7, 4]) to @all : S(0);
    let z = solve(w, x);
    let g = grad(loss_of)(z);
    let a = adjoint(w, z, x, g);
    let (y, (dw, dz, dx)) = vjp(f)(w, z, x, a);
    print(loss_of(z), dw to B, dx[3] to B);
}
