// GPT-2 of 124 million parameters: one token a step after 64 others, keys and values cached.
import std.nn;
const D : int = 768;
const H : int = 12;
const L : int = 12;
const V : int = 50257;
const C : int = 1024;
const K : int = D / H;
const ROOM : int = 256;   /// positions of the cache
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 64;
place all = ranks(0..1);
struct Block[p: place] {
    g1 : f32[D] @ p = ones(), b1 : f32[D] @ p = zeros(),
    wqkv : f32[D, 3, H, K] @ p = normal(std = 0.02), bqkv : f32[3, H, K] @ p = zeros(),
    wo : f32[H, K, D] @ p = normal(std = 0.02), bo : f32[D] @ p = zeros(),
    g2 : f32[D] @ p = ones(), b2 : f32[D] @ p = zeros(),
    wu : f32[D, 4 * D] @ p = normal(std = 0.02), bu : f32[4 * D] @ p = zeros(),
    wd : f32[4 * D, D] @ p = normal(std = 0.02), bd : f32[D] @ p = zeros()
}
struct Past[p: place] { k : f32[1, H, ROOM, K] @ p = zeros(), v : f32[1, H, ROOM, K] @ p = zeros() }
param wte : f32[V, D] @ all = normal(std = 0.02);
param wpe : f32[C, D] @ all = normal(std = 0.02);
param blocks : [L] Block[all];
param gf : f32[D] @ all = ones();
param bf : f32[D] @ all = zeros();
cache past : [L] Past[all];
state token : i32[1] @ all = zeros();
fn block(x, w, past, at: int) {
    let a = layernorm(x, w.g1, w.b1);
    let qkv[c, n, h, t, k] = (sum[d] a[n, t, d] * w.wqkv[d, c, h, k]) + w.bqkv[c, h, k];
    let o = nn.attention_step(qkv[0], qkv[1], qkv[2], past, at);
    let y[n, t, d] = sum[h, k] o[n, h, t, k] * w.wo[h, k, d];
    let r = x + y + w.bo;
    return r + gelu_tanh(layernorm(r, w.g2, w.b2) @ w.wu + w.bu) @ w.wd + w.bd;
}
fn read(at: int) {
    var x = wte[reshape(token, [1, 1])] + wpe[at];
    for i in 0..L { x = block(x, blocks[i], past[i], at); }
    let y = layernorm(x, gf, bf);
    let z[n, t, v] = sum[d] y[n, t, d] * wte[v, d];
    return reshape(z, [1, V]);
}
main {
    for i in 0..steps { token = argmax(mixed FACTORS { read(i + 64) }) as i32; }
}
