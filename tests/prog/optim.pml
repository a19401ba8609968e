// Gradient descent with momentum and weight decay against the same by hand. Values: expected.py (torch.optim.SGD).
//% ranks 1 3 (2 4)
import std.optim;
const N : int = 1;
place p = ranks(0..N);
param w : f32[3, 2] @ p : S(0) = full(0.5);
param b : f32[2] @ p = zeros();

fn loss(x: f32[4, 3], t: f32[4, 2]) { let d = (x @ w to B) + b - t; return mean(d * d); }

main {
    let x = reshape(iota(12) as f32, [4, 3]) * 0.1 to @p;
    let t = reshape((iota(8) % 3) as f32, [4, 2]) to @p;
    for i in 0..3 {
        let (l, g) = value_and_grad(loss)(x, t);
        optim.sgd(g, lr = 0.1);
        print("plain", l, w to B, b);
    }
    for i in 0..4 {
        let (l, g) = value_and_grad(loss)(x, t);
        optim.sgd(g, lr = 0.05, momentum = 0.9, weight_decay = 0.01);
        print("momentum", l, w to B, b);
    }
}
