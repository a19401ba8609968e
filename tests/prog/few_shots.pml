// Learning to learn (Finn et al., 2017): the gradient through two steps by gradients on a copy of a struct of params.
//% ranks 1 (2) 3 (4)
//% rtol 1e-3
import std.optim;
import std.nn;
const N : int = 1;
place all = ranks(0..N);
struct Net { w : f32[1, 16] @ all = nn.he(), b : f32[16] @ all = zeros(), v : f32[16, 1] @ all = nn.he() }
param net : Net;
fn f(n, x) { return tanh(x @ n.w + n.b) @ n.v; }
fn inner(n, x, y) { return mean(square(f(n, x) - y)) to B; }
fn outer_loss(x, y, xq, yq) {
    var m = net;
    for k in 0..2 {
        let g = grad(inner, wrt = "n")(m, x, y);
        m.w = m.w - 0.05 * g.w; m.b = m.b - 0.05 * g.b; m.v = m.v - 0.05 * g.v;
    }
    return inner(m, xq, yq);
}
main {
    for s in 0..30 {
        let a = uniform(rng(1, s), [1])[0] + 0.5;
        let x = uniform(rng(2, s), [12, 1], low = -2.0, high = 2.0) to @all : S(0);
        let xq = uniform(rng(3, s), [12, 1], low = -2.0, high = 2.0) to @all : S(0);
        let (l, g) = value_and_grad(outer_loss)(x, a * sin(x), xq, a * sin(xq));
        optim.adam(g, lr = 0.01);
        every 10 { print(l); }
    }
    print(sum(net.w), sum(net.v));
}
