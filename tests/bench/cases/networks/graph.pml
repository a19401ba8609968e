// A graph convolutional network of two layers with the sizes of Cora: 2708 papers, 1433 words, 10556 citations; Adam.
import std.loss;
import std.nn;
import std.optim;
const V : int = 2708;
const E : int = 10556;
config steps : int = 4;
param w1 : f32[1433, 16] = nn.xavier();
param b1 : f32[16] = zeros();
param w2 : f32[16, 7] = nn.xavier();
param b2 : f32[7] = zeros();
fn spread(h, src, dst, norm) { return segment_sum(h[src] * unsqueeze(norm), dst, V, dim = 0); }
fn objective(x, src, dst, norm, t) {
    let h = relu(spread(x @ w1, src, dst, norm) + b1);
    return loss.cross_entropy(spread(h @ w2, src, dst, norm) + b2, t);
}
main {
    let x = (uniform(rng(1), [V, 1433]) < 0.01) as f32;
    let src = randint(rng(2), [E], 0, V);
    let dst = randint(rng(3), [E], 0, V);
    let degree = segment_sum(ones([E]), dst, V) + 1.0;
    let norm = rsqrt(degree[src]) * rsqrt(degree[dst]);
    let t = randint(rng(4), [V], 0, 7);
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(x, src, dst, norm, t);
        optim.adam(g, lr = 0.01, weight_decay = 0.0005);
    }
}
