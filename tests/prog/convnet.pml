// A small convolutional network trained on digits, data-parallel with uneven batches. Values: expected.py (torch).
// No sum of its products is 0 by chance, where relu has a kink.
//% ranks 1 4 (2 3)
//% rtol 1e-3
import std.data;
import std.loss;
import std.metrics;
import std.optim;
const N : int = 1;
place p = ranks(0..N);
param k1 : f32[4, 1, 3, 3] @ p = full(0.1);
param k2 : f32[6, 4, 3, 3] @ p = full(0.1);
param w : f32[24, 10] @ p = full(0.1);
param b : f32[10] @ p = zeros();

fn ramp(w) { return w * ((reshape((iota(volume(w)) * 7 % 11) as f32, shape(w)) - 5.03) * 0.4); }
fn forward[n](x: f32[n, 64]) {
    let image = reshape(x, [n, 1, 8, 8]);
    let h = max_pool2d(relu(conv2d(image, ramp(k1), pad = 1)));
    let g = max_pool2d(relu(conv2d(h, ramp(k2), pad = 1)));
    return flatten(g) @ ramp(w) + b;
}
fn objective[n](x: f32[n, 64], t: i32[n]) { return loss.cross_entropy(forward(x), t) to B; }

main {
    let digits = data.csv("examples/data/digits.csv.gz", columns = [64, 1]) as (f32[1797, 64], i32[1797]);
    var step = 0;
    for (image, digit) in data.batches(digits[0..60], size = 10) {
        let (l, g) = value_and_grad(objective)(image / 16.0 to @p : S(0), digit to @p : S(0));
        optim.sgd(g, lr = 0.3);
        print(step, l, sum(k1 * k1), sum(w * w), b[3]);
        step += 1;
    }
}
