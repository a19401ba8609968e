// A transformer that trains for two steps. Params, gradients and optimizer states are split over dp and brought layer by layer
// (ZeRO-3), or with -D kept=B held by every rank (data parallel). -D R=1: layers are computed again for gradients.
import std.loss;
import std.nn;
import std.optim;
const D : int = 256;
const H : int = 4;
const L : int = 6;
const T : int = 64;
const V : int = 512;
const K : int = D / H;
const BATCH : int = 16;
const R : int = 0;
const kept : layout = S(0);
const N : int = 4;
place grid = ranks(0..N) as (dp = N);
struct Block[p: place] {
    g1   : f32[D] @ p : (dp=kept) = ones(),
    b1   : f32[D] @ p : (dp=kept) = zeros(),
    wqkv : f32[D, 3, H, K] @ p : (dp=kept) = normal(std = 0.02),
    wo   : f32[D, D] @ p : (dp=kept) = normal(std = 0.02),
    g2   : f32[D] @ p : (dp=kept) = ones(),
    b2   : f32[D] @ p : (dp=kept) = zeros(),
    wu   : f32[D, 4 * D] @ p : (dp=kept) = normal(std = 0.02),
    wd   : f32[4 * D, D] @ p : (dp=kept) = normal(std = 0.02)
}
param wte    : f32[V, D] @ grid : (dp=kept) = normal(std = 0.02);
param wpe    : f32[T, D] @ grid : (dp=kept) = normal(std = 0.02);
param blocks : [L] Block[grid];
param gf     : f32[D] @ grid : (dp=kept) = ones();
param bf     : f32[D] @ grid : (dp=kept) = zeros();
param head   : f32[D, V] @ grid : (dp=kept) = normal(std = 0.02);

fn block[n](x: f32[n, T, D] @ grid : (dp=S(0)), w: Block[grid]) -> f32[n, T, D] @ grid : (dp=S(0)) {
    let wqkv = w.wqkv to B;
    let wo = w.wo to B;
    let wu = w.wu to B;
    let wd = w.wd to B;
    let a = layernorm(x, w.g1 to B, w.b1 to B);
    let qkv[c, n, h, t, k] = sum[d] a[n, t, d] * wqkv[d, c, h, k];
    let o = nn.attention(qkv[0], qkv[1], qkv[2]);
    let m[n, t, d] = sum[h, k] o[n, h, t, k] * reshape(wo, [H, K, D])[h, k, d];
    let r = x + m;
    return r + gelu_tanh(layernorm(r, w.g2 to B, w.b2 to B) @ wu) @ wd;
}
fn model[n](tokens: i32[n, T] @ grid : (dp=S(0)), targets: i32[n, T] @ grid : (dp=S(0))) -> f32 @ grid : B {
    var x = (wte to B)[tokens] + (wpe to B);
    for i in 0..L {
        if R == 1 { x = remat { block(x, blocks[i]) }; } else { x = block(x, blocks[i]); }
    }
    let z = layernorm(x, gf to B, bf to B) @ (head to B);
    return loss.cross_entropy(z, targets) to B;
}
main {
    for step in 0..2 {
        let ids = randint(fold(rng(1), step), [BATCH, T + 1], 0, V) as i32 to @grid : (dp=S(0));
        let (l, g) = value_and_grad(model)(ids[.., 0..T], ids[.., 1..T + 1]);
        optim.adamw(g, lr = 0.001);
        print(l);
    }
}
