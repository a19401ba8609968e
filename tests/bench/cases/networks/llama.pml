// A Llama of 4 layers, width 512: rmsnorm, rotary positions, grouped queries, silu gates; 4 x 256 tokens; AdamW.
import std.loss;
import std.nn;
import std.optim;
const N : int = 4;
const T : int = 256;
const D : int = 512;
const H : int = 8;
const G : int = 2;
const L : int = 4;
const K : int = D / H;
const F : int = 1376;
const V : int = 8000;
config steps : int = 4;
struct Block {
    g1 : f32[D] = ones(), wq : f32[D, D] = normal(std = 0.02), wk : f32[D, G * K] = normal(std = 0.02),
    wv : f32[D, G * K] = normal(std = 0.02), wo : f32[D, D] = normal(std = 0.02), g2 : f32[D] = ones(),
    gate : f32[D, F] = normal(std = 0.02), up : f32[D, F] = normal(std = 0.02),
    down : f32[F, D] = normal(std = 0.02)
}
param table : f32[V, D] = normal(std = 0.02);
param blocks : [L] Block;
param gf : f32[D] = ones();
param head : f32[D, V] = normal(std = 0.02);
fn heads(x, n: int) { return permute(reshape(x, [x.shape[0], x.shape[1], n, K]), [0, 2, 1, 3]); }
fn block(x, w) {
    let a = rmsnorm(x, w.g1);
    let o = nn.attention(nn.rotary(heads(a @ w.wq, H)), nn.rotary(heads(a @ w.wk, G)), heads(a @ w.wv, G));
    let r = x + reshape(permute(o, [0, 2, 1, 3]), shape(x)) @ w.wo;
    return r + nn.swiglu(rmsnorm(r, w.g2), w.gate, w.up, w.down);
}
fn objective(ids, t) {
    var h = table[ids];
    for i in 0..L { h = block(h, blocks[i]); }
    return loss.cross_entropy(rmsnorm(h, gf) @ head, t);
}
main {
    let x = randint(rng(1), [N, T + 1], 0, V);
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(x[.., 0..T], x[.., 1..T + 1]);
        optim.adamw(g, lr = 0.001);
    }
}
