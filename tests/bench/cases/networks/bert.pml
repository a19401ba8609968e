// A BERT of 4 layers, width 256, 8 x 128 tokens, padding masked, with dropout; AdamW.
import std.loss;
import std.nn;
import std.optim;
const N : int = 8;
const T : int = 128;
const D : int = 256;
const H : int = 4;
const L : int = 4;
const K : int = D / H;
const V : int = 10000;
config steps : int = 4;
struct Block {
    wqkv : f32[D, 3 * D] = normal(std = 0.02), bqkv : f32[3 * D] = zeros(),
    wo : f32[D, D] = normal(std = 0.02), bo : f32[D] = zeros(), g1 : f32[D] = ones(), b1 : f32[D] = zeros(),
    up : f32[D, 4 * D] = normal(std = 0.02), bu : f32[4 * D] = zeros(),
    down : f32[4 * D, D] = normal(std = 0.02), bd : f32[D] = zeros(), g2 : f32[D] = ones(),
    b2 : f32[D] = zeros()
}
param table : f32[V, D] = normal(std = 0.02);
param pos : f32[T, D] = normal(std = 0.02);
param blocks : [L] Block;
param hb : f32[V] = zeros();
fn heads(x) { return permute(reshape(x, [N, T, H, K]), [0, 2, 1, 3]); }
fn block(x, w, mask, key: rngkey) {
    let a = x @ w.wqkv + w.bqkv;
    let o = nn.attention(heads(a[.., .., 0..D]), heads(a[.., .., D..2 * D]), heads(a[.., .., 2 * D..3 * D]), causal = false, mask = mask);
    let r = layernorm(x + nn.dropout(reshape(permute(o, [0, 2, 1, 3]), [N, T, D]) @ w.wo + w.bo, fold(key, 1), p = 0.1), w.g1, w.b1);
    return layernorm(r + nn.dropout(nn.mlp(r, w.up, w.bu, w.down, w.bd), fold(key, 2), p = 0.1), w.g2, w.b2);
}
fn objective(ids, mask, t, key: rngkey) {
    var h = nn.dropout(table[ids] + pos, key, p = 0.1);
    for i in 0..L { h = block(h, blocks[i], mask, fold(key, 10 + i)); }
    return loss.cross_entropy(h @ transpose(table) + hb, t, ignore = -1);
}
main {
    let x = randint(rng(1), [N, T], 0, V);
    let t = where(uniform(rng(2), [N, T]) < 0.15, randint(rng(3), [N, T], 0, V), -1);
    let mask = uniform(rng(4), [N, T]) < 0.9;
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(x, mask, t, fold(rng(5), i));
        optim.adamw(g, lr = 0.001);
    }
}
