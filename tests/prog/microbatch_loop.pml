// Micro-batches on one set of ranks are turns of a loop: the same values with that loop unrolled and on any number of ranks; states go from one
// to the next, keys differ, layers are loops of their own, printed lines make copies of them.
//% ranks 1 (2) 3 (4)
//% also --loops=unrolled
//% bits microbatch_loop
//% rtol 1e-5
import std.optim;
const N : int = 1;
const L : int = 5;
const M : int = 6;
place p = ranks(0..N) as (dp = N);

param w : [L] f32[6, 6] @ p = normal(std = 0.4);
param scale : f32[6] @ p = ones();
state seen   : f32[6] @ p = zeros();
state count  : i64 @ p = zeros();

fn model[n](x: f32[n, 6] @ p : (dp=S(0)), t: f32[n] @ p : (dp=S(0)), noise: f32[6], key) -> f32 @ p {
    var h = x * scale;
    for i in 0..L { h = h + 0.5 * tanh(h @ w[i] + noise); }
    seen = 0.5 * seen + (sum_along(h, dim = 0) to B);
    count = count + 1;
    let kept = bernoulli(key, shape(h), 0.8) as f32;
    let d = sum_along(kept * h, dim = 1) - t;
    return mean(d * d) to B;
}

main {
    let x = reshape(cos(iota(48 * 6) as f32), [48, 6]);
    let t = sin(iota(48) as f32);
    let noise = 0.1 * iota(6) as f32;
    for step in 0..3 {
        let (l, g) = microbatch(M, whole = noise) {
            value_and_grad(model)(x to @p : (dp=S(0)), t to @p : (dp=S(0)), noise, rng(step))
        };
        let e = microbatch(4, whole = noise) { model(x to @p : (dp=S(0)), t to @p : (dp=S(0)), noise, rng(7)) };
        print(l, e, g.scale, g.w[0], g.w[L - 1], seen, count);
        optim.sgd(g, lr = 0.05, momentum = 0.9);
    }
    let (l, g) = microbatch(2, whole = noise) {
        let (y, d) = value_and_grad(model)(x to @p : (dp=S(0)), t to @p : (dp=S(0)), noise, rng(1));
        print("part", y);
        (y, d)
    };
    print(l, g.w[2]);
}
