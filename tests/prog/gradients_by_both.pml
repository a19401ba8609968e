// Derivatives by arguments and by params at once: those of the arguments in their order, then the gradient by the params. They are what each
// gives alone, in other derivatives, for each line, in micro-batches, and in other layouts.
//% ranks 1 2
//% also --reproducible
import std.optim;
const N : int = 1;
place p = ranks(0..N);
param w : f64[3] @ p = ones();
param mu : f64[3] @ p = full(0.5);
param ws : [2] f64[3] @ p = full(0.5);
struct Net { a : f64[3], b : f64[3] }
fn f(y: f64[3], z: f64) {
    var s = 0.0;
    for v in ws { s = s + sum(v * y); }
    return z * sum(square(tanh(y * w) - mu)) + s;
}
fn slope(y: f64[3], z: f64) { let (dy, g) = grad(f, wrt = ("y", mu))(y, z); return sum(dy * dy) + sum(g.mu * y); }
fn apart(y: f64[3], z: f64) { let (dy, g) = (grad(f, wrt = "y")(y, z), grad(f, wrt = mu)(y, z)); return sum(dy * dy) + sum(g.mu * y); }
fn of_rows[n](x: f64[n, 3] @ p : S(0), net: Net) { return mean(tanh(x * net.a + mu) * net.b * w) to B; }

main {
    let y = [1.0, 2.0, 3.0] as f64 to @p;
    print(value_and_grad(f, wrt = ("y", mu))(y, 2.0));
    print(value_and_grad(f, wrt = [mu, "y", ws, "z"])(y, 2.0));
    print(vjp(f, wrt = ["z", ws[1]])(y, 2.0, 0.5));
    print(value_and_grad(f, wrt = "y")(y, 2.0), value_and_grad(f, wrt = mu)(y, 2.0));
    print(vmap(grad(f, wrt = ("y", mu)), over = "y")([[1.0, 2.0, 3.0], [0.0, 1.0, 2.0]] as f64 to @p, 2.0));
    let (l, (d, g)) = value_and_grad(slope, wrt = ("y", mu, w))(y, 2.0);
    let (e, k) = (grad(apart, wrt = "y")(y, 2.0), grad(apart, wrt = (mu, w))(y, 2.0));
    print(abs(l - apart(y, 2.0)) < 1e-12, norm(d - e) < 1e-12, optim.norm(g - k) < 1e-12);
    let x = reshape(iota(24) as f64, [8, 3]) * 0.1 to @p : S(0);
    let net = Net(a = y, b = 0.3 * y);
    print(value_and_grad(of_rows, wrt = ("net", w))(x, net));
    let (m, (c, h)) = microbatch(2, whole = net) { value_and_grad(of_rows, wrt = ("net", w), grads : S(0))(x, net) };
    print(m, c, h.w to B);
}
