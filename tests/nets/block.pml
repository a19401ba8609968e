// A small transformer on drawn tokens, in every layout: placements and layouts are constants, nothing else changes.
// The layouts tried are the lines of block.variants.
import std.loss;
import std.nn;
import std.optim;

config steps : int = 20;
config out : path = "weights.safetensors";

const N : int = 4;           // sequences of a batch
const T : int = 8;           // tokens of a sequence
const D : int = 24;          // width
const H : int = 6;           // heads
const K : int = 4;           // width of a head
const F : int = 48;          // width of the hidden layer
const V : int = 30;          // tokens there are
const L : int = 1;           // blocks on each placement
const RATE : f32 = 0.1;      // of what is dropped

// Axes: d splits sequences (data parallel, ZeRO), t heads and columns (tensor parallel), c tokens (context parallel). The
// first half of the blocks is on `first`, the second on `second`. An axis of one rank changes nothing.
place first  = ranks(0..1) as (d = 1, c = 1, t = 1);
place second = first;

const ND : layout = S(0);    // over d: sequences,
const WD : layout = B;       // weights as they are kept,
const GD : layout = B;       // gradients and the optimizer's states
const TT : layout = S(0);    // over t: heads and the hidden layer,
const XT : layout = B;       // tokens between the layers: S(1) is sequence parallel,
const ET : layout = B;       // the table of tokens, by rows or by columns,
const VT : layout = B;       // columns of the last product (classes)
const QC : layout = S(2);    // over c, while attending: queries by tokens and keys whole, or both by heads (all-to-all)
const KC : layout = B;

struct Block[p: place] {
    scale1 : f32[D] @ p = ones(),
    shift1 : f32[D] @ p = zeros(),
    query  : f32[H, D, K] @ p : (d=WD, t=TT) = normal(std = 0.2),
    key    : f32[H, D, K] @ p : (d=WD, t=TT) = normal(std = 0.2),
    value  : f32[H, D, K] @ p : (d=WD, t=TT) = normal(std = 0.2),
    output : f32[H, K, D] @ p : (d=WD, t=TT) = normal(std = 0.2),
    scale2 : f32[D] @ p = ones(),
    shift2 : f32[D] @ p = zeros(),
    up     : f32[F, D] @ p : (d=WD, t=TT) = normal(std = 0.2),
    hidden : f32[F] @ p : (t=TT) = zeros(),
    down   : f32[F, D] @ p : (d=WD, t=TT) = normal(std = 0.2),
    shift3 : f32[D] @ p = zeros()
}

param tokens    : f32[V, D] @ first : (t=ET) = normal(std = 0.5);
param positions : f32[T, D] @ first = normal(std = 0.5);
param lower : [L] Block[first];
param upper : [L] Block[second];
param head  : f32[D, V] @ second : (t=VT) = normal(std = 0.2);

fn attend[n, p: place](x: f32[n, T, D] @ p, w: Block[p]) {
    let wq = w.query to (t=TT);
    let wk = w.key to (t=TT);
    let wv = w.value to (t=TT);
    let wo = w.output to (t=TT);
    let q[n, h, t, k] = sum[d] x[n, t, d] * wq[h, d, k];
    let k[n, h, t, k] = sum[d] x[n, t, d] * wk[h, d, k];
    let v[n, h, t, k] = sum[d] x[n, t, d] * wv[h, d, k];
    let qs = q to (d=ND, t=S(1), c=QC);
    let ks = k to (d=ND, t=S(1), c=KC);
    let vs = v to (d=ND, t=S(1), c=KC);
    let m = nn.attention(qs, ks, vs);
    let ms = m to (d=ND, t=S(1), c=S(2));
    let y[n, t, d] = sum[h, k] ms[n, h, t, k] * wo[h, k, d];
    return y to (d=ND, c=S(1), t=XT);
}

fn mlp[n, p: place](x: f32[n, T, D] @ p, w: Block[p]) {
    let up = w.up to (t=TT);
    let down = w.down to (t=TT);
    let u[n, t, f] = sum[d] x[n, t, d] * up[f, d];
    return (gelu(u + w.hidden) @ down to (d=ND, c=S(1), t=XT)) + w.shift3;
}

fn block[n, p: place](x: f32[n, T, D] @ p, w: Block[p], key: rngkey) {
    let a = layernorm(x, w.scale1, w.shift1) to (d=ND, c=S(1));
    let r = x + nn.dropout(attend(a, w), fold(key, 0), p = RATE);
    let b = layernorm(r, w.scale2, w.shift2) to (d=ND, c=S(1));
    return r + nn.dropout(mlp(b, w), fold(key, 1), p = RATE);
}

fn objective[n](ids: i32[n, T] @ first : (d=ND, c=S(1)), targets: i32[n, T] @ second : (d=ND, c=S(1)), key: rngkey)
        -> f32 @ second : B {
    let e = (tokens[ids] to (d=ND, c=S(1), t=XT)) + positions;
    var x = e;
    for i in 0..L { x = block(x, lower[i], fold(key, i)); }
    var y = x to @second : (d=ND, c=S(1), t=XT);
    for i in 0..L { y = block(y, upper[i], fold(key, L + i)); }
    let z = y to (d=ND, c=S(1));
    return loss.cross_entropy(z @ head, targets) to B;
}

main {
    save("first.safetensors");
    for step in 0..steps {
        let ids = floor(uniform(rng(step % 4), [N, T]) * (V as f32)) as i32;
        let targets = (ids * 7 + 3) % V;
        let (l, g) = value_and_grad(objective, grads: (d=GD))
            (ids to @first : (d=ND, c=S(1)), targets to @second : (d=ND, c=S(1)), rng(99, step));
        optim.adamw(g, lr = 0.01, beta2 = 0.99, eps = 1e-6);
        print(l);
    }
    save(out);
}
