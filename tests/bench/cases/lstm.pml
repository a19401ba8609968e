// An LSTM of width 256 over 256 tokens of 16 sequences, forward and backward, with SGD.
import std.nn;
import std.optim;
const T : int = 256;
const B : int = 16;
const D : int = 256;
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 5;
place all = ranks(0..1);
param w : f32[D, 4 * D] @ all = normal(std = 0.05);
param u : f32[D, 4 * D] @ all = normal(std = 0.05);
param b : f32[4 * D] @ all = zeros();
state x : f32[B, T, D] @ all = zeros();
fn objective(x: f32[B, T, D] @ all) -> f32 @ all {
    var h = zeros([B, D], f32) to @all;
    var c = zeros([B, D], f32) to @all;
    for t in 0..T { (h, c) = nn.lstm_cell(x[.., t, ..], h, c, w, u, b); }
    return mean(square(h));
}
main {
    x = normal(rng(1), [B, T, D]) to @all;
    for i in 0..steps {
        let (l, g) = mixed FACTORS { value_and_grad(objective)(x) };
        optim.sgd(g, lr = 0.01);
    }
}
