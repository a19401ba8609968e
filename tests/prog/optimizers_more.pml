// Nesterov, RMSprop, Adagrad, Adadelta, LAMB, clipped elements, schedules. Values: expected.py (torch.optim; LAMB by hand).
//% ranks 1 (2) 3
//% rtol 1e-4
import std.optim;
const N : int = 1;
place p = ranks(0..N);
param w : f32[3, 2] @ p : S(0) = full(0.5);
param b : f32[2] @ p = zeros();

fn loss(x: f32[4, 3] @ p, t: f32[4, 2] @ p) {
    let d = tanh((x @ w to B) + b) - t;
    return mean(d * d);
}

main {
    let x = reshape(iota(12) as f32, [4, 3]) * 0.1 to @p;
    let t = reshape((iota(8) % 3) as f32, [4, 2]) to @p;
    for i in 0..3 { optim.sgd(grad(loss)(x, t), lr = 0.1, momentum = 0.9, weight_decay = 0.1, nesterov = true); }
    print(w to B, b);
    for i in 0..3 { optim.rmsprop(grad(loss)(x, t), lr = 0.01, momentum = 0.5, weight_decay = 0.1); }
    print(w to B, b);
    for i in 0..3 { optim.adagrad(grad(loss)(x, t), lr = 0.1, weight_decay = 0.1); }
    print(w to B, b);
    for i in 0..3 { optim.adadelta(grad(loss)(x, t)); }
    print(w to B, b);
    for i in 0..3 { optim.lamb(grad(loss)(x, t), lr = 0.1); }
    print(w to B, b);
    optim.sgd(optim.clip_value(grad(loss)(x, t), 0.01), lr = 1.0);
    print(w to B, b);
    for i in 0..10 { print(optim.one_cycle(0.1, i, 10), optim.exponential(0.1, i, 0.5), optim.milestones(0.1, i, at = [3, 6])); }
    for i in 0..10 { print(optim.polynomial(0.1, i, 8, power = 2.0), optim.inverse_root(0.1, i, 4), optim.cosine_cycles(0.1, i, 4), optim.trapezoid(0.1, i, 8, 3, warmup = 2)); }
}
