// Transformer-like blocks, two unless told, on a mesh of three axes: data (dp), model (tp) and sequence (sp).
import std.loss;
import std.optim;

const DP : int = 2;
const TP : int = 2;
const SP : int = 2;
const L : int = 2;                  /// blocks
const ODD : int = 0;                /// added to batch and hidden layer: uneven shards
const N : int = 128 + ODD;          /// batch
const T : int = 128;                /// positions
const D : int = 256;
const F : int = 1024 + ODD;
const H : int = 16;
const E : int = 16;
const V : int = 512;
place grid = ranks(0..DP * TP * SP) as (dp = DP, tp = TP, sp = SP);

struct Block[p: place] {
    g1 : f32[D] @ p = ones(),
    wq : f32[D, H, E] @ p : (tp=S(1)) = normal(std = 0.02),
    wk : f32[D, H, E] @ p : (tp=S(1)) = normal(std = 0.02),
    wv : f32[D, H, E] @ p : (tp=S(1)) = normal(std = 0.02),
    wo : f32[H, E, D] @ p : (tp=S(0)) = normal(std = 0.02),
    g2 : f32[D] @ p = ones(),
    wu : f32[D, F] @ p : (tp=S(1)) = normal(std = 0.02),
    wd : f32[F, D] @ p : (tp=S(0)) = normal(std = 0.02)
}

param blocks : [L] Block[grid];
param embed : f32[V, D] @ grid : (tp=S(1)) = normal(std = 0.02);
param place_of : f32[T, D] @ grid : (sp=S(0)) = normal(std = 0.02);
param head : f32[D, V] @ grid : (tp=S(1)) = normal(std = 0.02);
param tail : f32[D, V] @ grid : (dp=S(0), sp=S(0)) = normal(std = 0.02);     // nested split, gathered when used

fn attend[n](x: f32[n, T, D], b) {
    let wq = b.wq; let wk = b.wk; let wv = b.wv; let wo = b.wo;
    let a = rmsnorm(x, b.g1);
    let q[h, n, t, e] = sum[d] a[n, t, d] * wq[d, h, e];
    let k[h, n, t, e] = sum[d] a[n, t, d] * wk[d, h, e];
    let v[h, n, t, e] = sum[d] a[n, t, d] * wv[d, h, e];
    let kk = k to (dp=S(1), tp=S(0));
    let vv = v to (dp=S(1), tp=S(0));
    let s[h, n, t, u] = sum[e] q[h, n, t, e] * kk[h, n, u, e];
    let p = softmax(s);
    let m[h, n, t, e] = sum[u] p[h, n, t, u] * vv[h, n, u, e];
    let y[n, t, d] = sum[h, e] m[h, n, t, e] * wo[h, e, d];
    return y to (dp=S(0), sp=S(1));
}

fn block[n](x: f32[n, T, D] @ grid : (dp=S(0), sp=S(1)), b) {
    let r = x + attend(x, b);
    let u = gelu(rmsnorm(r, b.g2) @ b.wu);
    return r + (u @ b.wd to (dp=S(0), tp=S(1), sp=S(1)) to (dp=S(0), sp=S(1)));
}

fn model[n](tokens: i32[n, T] @ grid : (dp=S(0), sp=S(1)), target: i32[n, T] @ grid : (dp=S(0), sp=S(1))) -> f32 @ grid {
    var x = (embed to B)[tokens] + place_of;
    for i in 0..L { x = block(x, blocks[i]); }
    let swapped = x to (dp=S(1), sp=S(0));
    let z = swapped to (dp=S(0), sp=S(1));
    let out = (z @ (tail to B) to (dp=S(0), sp=S(1)));
    return loss.cross_entropy(out, target) to B;
}

main {
    let tokens = (iota(N * T) * 7 % V) as i32;
    let x = reshape(tokens, [N, T]);
    for i in 0..3 {
        let (l, g) = value_and_grad(model)(x to @grid : (dp=S(0), sp=S(1)), x to @grid : (dp=S(0), sp=S(1)));
        optim.sgd(g, lr = 0.01, momentum = 0.9);
        log(loss = l);
    }
}
