// Adam, AdamW and Lion, clipping by the norm of a whole gradient over two placements, schedules. Values: expected.py (torch.optim).
//% ranks 1 4 (2 3)
import std.optim;
const N : int = 1;
place p = ranks(0..N);
place q = ranks(N - 1..N);
param w : f32[3, 2] @ p : S(0) = full(0.5);
param b : f32[2] @ p = zeros();
param v : f32[2, 2] @ q = full(-0.25);

fn loss(x: f32[4, 3] @ p, t: f32[4, 2] @ q) {
    let h = tanh((x @ w to B) + b);
    let d = (h to @q) @ v - t;
    return mean(d * d);
}

main {
    let x = reshape(iota(12) as f32, [4, 3]) * 0.1 to @p;
    let t = reshape((iota(8) % 3) as f32, [4, 2]) to @q;
    for i in 0..3 {
        let (l, g) = value_and_grad(loss)(x, t);
        let c = optim.clip_norm(g, 0.5);
        print("adamw", l, optim.norm(g), optim.norm(c));
        optim.adamw(c, lr = optim.cosine(0.1, i, 5, warmup = 2));
    }
    for i in 0..3 {
        let (l, g) = value_and_grad(loss)(x, t);
        print("adam", l);
        optim.adam(each (k, d) in g => d + 0.5 * g[k], lr = 0.02, weight_decay = 0.1);
    }
    for i in 0..3 {
        let (l, g) = value_and_grad(loss)(x, t);
        print("lion", l);
        optim.lion(g, lr = 0.01, weight_decay = 0.1);
    }
    print(w to B, b, v);
    for i in 0..6 {
        print(optim.cosine(0.1, i, 5, warmup = 2, least = 0.01), optim.linear(0.1, i, 5, warmup = 2), optim.step_decay(0.1, i, 2));
    }
    print(sign(iota(3) as f32 - 1.0 to @p), ceil(iota(4) as f32 * 0.5 - 0.75 to @p), leaky_relu(iota(3) as f32 - 1.0 to @p, 0.1));
    print(gelu_tanh(iota(5) as f64 - 2.0 to @p));
}
