// A GRU of width 128 over 100 words of 32 texts; Adam.
import std.loss;
import std.nn;
import std.optim;
const N : int = 32;
const T : int = 100;
const D : int = 128;
config steps : int = 4;
param e : f32[5000, D] = normal(std = 0.1);
param w : f32[D, 3 * D] = normal(std = 0.05);
param u : f32[D, 3 * D] = normal(std = 0.05);
param b : f32[3 * D] = zeros();
param c : f32[3 * D] = zeros();
param head : f32[D, 2] = nn.lecun();
param hb : f32[2] = zeros();
fn objective(x, t) {
    let y = e[x];
    var h = zeros([x.shape[0], D]);
    for i in 0..T { h = nn.gru_cell(y[.., i, ..], h, w, u, b, c); }
    return loss.cross_entropy(nn.linear(h, head, hb), t);
}
main {
    let x = randint(rng(1), [N, T], 0, 5000);
    let t = randint(rng(2), [N], 0, 2);
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(x, t);
        optim.adam(g, lr = 0.001);
    }
}
