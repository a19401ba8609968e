// A vision transformer of 4 layers, width 192, on 16 images of 32 x 32 in patches of 4 x 4; AdamW.
import std.loss;
import std.nn;
import std.optim;
const N : int = 16;
const D : int = 192;
const H : int = 3;
const L : int = 4;
const K : int = D / H;
config steps : int = 4;
struct Block {
    g1 : f32[D] = ones(), b1 : f32[D] = zeros(), wqkv : f32[D, 3 * D] = normal(std = 0.02),
    bqkv : f32[3 * D] = zeros(), wo : f32[D, D] = normal(std = 0.02), bo : f32[D] = zeros(),
    g2 : f32[D] = ones(), b2 : f32[D] = zeros(), up : f32[D, 4 * D] = normal(std = 0.02),
    bu : f32[4 * D] = zeros(), down : f32[4 * D, D] = normal(std = 0.02), bd : f32[D] = zeros()
}
param patch : f32[D, 3, 4, 4] = nn.lecun();
param bp : f32[D] = zeros();
param pos : f32[64, D] = normal(std = 0.02);
param blocks : [L] Block;
param gf : f32[D] = ones();
param bf : f32[D] = zeros();
param head : f32[D, 100] = normal(std = 0.02);
param hb : f32[100] = zeros();
fn heads(x, n: int, t: int) { return permute(reshape(x, [n, t, H, K]), [0, 2, 1, 3]); }
fn block(x, w) {
    let n = x.shape[0];
    let t = x.shape[1];
    let a = layernorm(x, w.g1, w.b1) @ w.wqkv + w.bqkv;
    let q = heads(a[.., .., 0..D], n, t);
    let k = heads(a[.., .., D..2 * D], n, t);
    let v = heads(a[.., .., 2 * D..3 * D], n, t);
    let o = nn.attention(q, k, v, causal = false);
    let r = x + reshape(permute(o, [0, 2, 1, 3]), [n, t, D]) @ w.wo + w.bo;
    return r + nn.mlp(layernorm(r, w.g2, w.b2), w.up, w.bu, w.down, w.bd);
}
fn objective(x, t) {
    let p = conv2d(x, patch, stride = 4);
    var h = transpose(reshape(p, [x.shape[0], D, 64])) + bp + pos;
    for i in 0..L { h = block(h, blocks[i]); }
    return loss.cross_entropy(nn.linear(mean(layernorm(h, gf, bf), dim = 1), head, hb), t);
}
main {
    let x = normal(rng(1), [N, 3, 32, 32]);
    let t = randint(rng(2), [N], 0, 100);
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(x, t);
        optim.adamw(g, lr = 0.001);
    }
}
