// Data-parallel training on uneven shards: many small gradients on one axis, one of them a product, and a sum that others wait for.
import std.loss;

const N : int = 3;
place all = ranks(0..N);
param w1 : f32[7, 11] @ all = normal(std = 0.4);
param b1 : f32[11] @ all = normal(std = 0.1);
param w2 : f32[11, 5] @ all = normal(std = 0.4);
param b2 : f32[5] @ all = normal(std = 0.1);
param scale : f32[1] @ all = ones();

fn objective[n](x: f32[n, 7] @ all : S(0), t: i32[n] @ all : S(0)) -> f32 @ all : B {
    let h = tanh(x @ w1 + b1);
    let m = mean(h, dim = 0) to B;               // needed at once: before the gradients, in no bucket with them
    return loss.cross_entropy((h - m) @ w2 * scale[0] + b2, t) to B;
}

main {
    for i in 0..4 {
        let x = normal(rng(i), [16, 7]) to @all : S(0);
        let t = iota(16) as i32 % 5 to @all : S(0);
        let (l, g) = value_and_grad(objective)(x, t);
        each (p, d) in g { p = p - 0.3 * d; }
        print(l, sum(w1), b1, b2, scale);
    }
    print(w1, w2);
}
