// Label smoothing, metrics, accumulated gradients, 16-bit params under Adam. Values: expected.py (torch).
//% ranks 1 4 (2 3)
//% rtol 1e-4
import std.loss;
import std.metrics;
import std.nn;
import std.optim;
const N : int = 1;
place p = ranks(0..N);
param w : f32[5, 7] @ p : S(1) = full(0.5);
param h : f16[6] @ p = full(1.0);
param b : bf16[6] @ p : S(0) = full(1.0);

fn ramp(w, a: int) { return w * ((reshape((iota(volume(w)) * a % 23) as f32, shape(w)) - 11.0) * 0.1); }
fn smooth[n](x: f32[n, 5] @ p, t: i32[n] @ p) { return loss.cross_entropy(x @ ramp(w, 7), t, smoothing = 0.1) to B; }
fn tiny(x: f32[6] @ p) { return sum(h as f32 * x) * 0.001 + (sum(b as f32 * x) to B) * 0.001; }

main {
    let x = reshape((iota(40) * 13 % 29) as f32, [8, 5]) * 0.1 - 1.4 to @p;
    let t = (iota(8) * 3 % 7) as i32 to @p;
    let (l, g) = value_and_grad(smooth)(x, t);
    print("smoothing", l, g.w to B);
    let z = nn.embedding(x, t % 4);
    print(z, metrics.top_accuracy(x, t % 5, 2), metrics.perplexity(l), metrics.bits(l));
    for i in 0..4 {
        let (e, d) = value_and_grad(smooth)(x * (i * 0.5 + 1.0), t);
        let mean = optim.accumulate(d, i, n = 4);
        if i == 3 { optim.sgd(mean, lr = optim.constant(0.5, 7, warmup = 4)); }
    }
    print("accumulated", w to B, optim.constant(0.1, 0, warmup = 4));
    let y = iota(6) as f32 - 2.5 to @p;
    for i in 0..5 { optim.adam(grad(tiny)(y), lr = 0.125); }
    print(h, b to B);
}
