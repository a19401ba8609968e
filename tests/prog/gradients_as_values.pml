// Gradients, tuples and structs as variables of the running program; sums and multiples of gradients. The same is computed by hand
// beside it.
//% ranks 1 4 (2 3)
import std.optim;
const N : int = 1;
place p = ranks(0..N);
struct Net[p: place] { w: f32[4] @ p : S(0) = [1.0, 2.0, 3.0, 4.0], b: f32[2, 4] @ p = zeros() }
param net : Net[p];
state target : Net[p];
state mw : f32[4] @ p : S(0) = zeros();
state mb : f32[2, 4] @ p = zeros();
state least : f32 @ p = full(1000.0);
config n : int = 5;

fn f(x: f32[4] @ p : S(0)) -> f32 @ p { return sum(square(net.w * x - 3.0) to B) + sum((net.b - 1.0) ** 2); }

main {
    let x = [1.0, 0.5, 2.0, -1.0] to @p : S(0);
    var m = 0.0 * grad(f)(x);
    var best = (net, 0);
    var pair = [1.0, 2.0];
    for i in 0..n {
        let (l, g) = value_and_grad(f)(x);
        m = 0.5 * m + g;
        mw = 0.5 * mw + g.net.w;
        mb = 0.5 * mb + g.net.b;
        if l < least { least = l; best = (net, i); }
        target = net;
        each (q, d) in m { q = q - 0.2 * d; }
        pair = [pair[1], pair[0] + pair[1]];
        print(l, optim.dot(m, g - m / 2.0), norm(m.net.w - mw) + norm(m.net.b - mb), optim.norm(-g) - optim.norm(g), pair[0]);
    }
    let (at_best, i) = best;
    print(i, at_best.w to B, target.w to B, target.b[0]);
    m = -m;
    print(sum(m.net.w + mw) to B, optim.dot(m, m) - optim.norm(m) ** 2 < 0.001);
}
