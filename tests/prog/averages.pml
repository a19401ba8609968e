// Running means of params, exchanged with them and back; weight decay for some of the params; draws from the fewest classes with most of the
// probability. Values: expected.py (torch.optim, numpy).
//% ranks 1 (2) 3
import std.nn;
import std.optim;
const N : int = 1;
place p = ranks(0..N);
param w : f32[3, 2] @ p : S(0) = full(0.5);
param b : f32[2] @ p = ones();
param h : bf16[2] @ p = ones();
param d : f64[2] @ p = ones();

fn loss(x: f32[4, 3] @ p, t: f32[4, 2] @ p) {
    let e = tanh((x @ w to B) + b) - t + (h as f32) + (d as f32);
    return mean(e * e);
}
fn long(q) { return q.shape[0] == 3; }

main {
    let x = reshape(iota(12) as f32, [4, 3]) * 0.1 to @p;
    let t = reshape((iota(8) % 3) as f32, [4, 2]) to @p;
    for i in 0..4 {
        let g = grad(loss, wrt = (w, b))(x, t);
        optim.adamw(g, lr = 0.1, weight_decay = 0.5, decays = optim.matrices);
        optim.ema(g, keep = 0.75);
        if i == 2 {
            optim.ema(g, swap = true);
            print(w to B, b);
            optim.ema(g, swap = true);
        }
        print(w to B, b);
    }
    for i in 0..3 { optim.sgd(grad(loss, wrt = (w, b))(x, t), lr = 0.1, weight_decay = 0.5, decays = long); }
    for i in 0..3 { optim.lion(grad(loss, wrt = (w, b))(x, t), lr = 0.01, weight_decay = 0.5, decays = long); }
    print(w to B, b);
    for i in 0..2 {
        h = full(1.0 + 2.0 * i, [2], bf16);
        d = full(1.0 + 2.0 * i, [2], f64);
        optim.ema(grad(loss, wrt = (h, d))(x, t), keep = 0.998);
    }
    optim.ema(grad(loss, wrt = (h, d))(x, t), swap = true);
    print(d, h as f32);
    optim.ema(grad(loss, wrt = (h, d))(x, t), swap = true);
    print(d, h as f32);

    let z = reshape(((iota(24) * 7) % 11) as f32, [3, 8]) * 0.5 to @p : S(0);
    var seen = zeros([3, 8]) to @p : S(0);
    var cold = seen;
    for i in 0..300 {
        seen += one_hot(nn.sample(rng(i), z, p = 0.7), 8);
        cold += one_hot(nn.sample(rng(i), z, temperature = 0.5, top = 3, p = 0.9), 8);
    }
    print(seen > 0.0 to B, cold > 0.0 to B, nn.sample(rng(1), z, temperature = 0.0, p = 0.5) to B);
}
