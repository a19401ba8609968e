// Causal attention with heads, a residual block with norms, and its gradients, tensor-parallel over heads. Values: expected.py (torch).
//% ranks 1 4 (2 3)
//% rtol 1e-4
const N : int = 1;
const T : int = 5;
const D : int = 8;
const H : int = 4;
place p = ranks(0..N);
struct Block[q: place] {
    query : f32[H, D, 2] @ q : S(0) = full(0.1),
    key   : f32[H, D, 2] @ q : S(0) = full(0.2),
    value : f32[H, D, 2] @ q : S(0) = full(0.3),
    out   : f32[H, 2, D] @ q : S(0) = full(0.05),
    scale : f32[D] @ q = ones(),
    shift : f32[D] @ q = zeros(),
    up    : f32[D, 16] @ q : S(1) = full(0.02),
    down  : f32[16, D] @ q : S(0) = full(0.03)
}
param blocks : [2] Block[p];

fn ramp(w) { return w * (1.0 + reshape((iota(volume(w)) * 7 % 11) as f32, shape(w)) * 0.1); }

fn attend[n](x: f32[n, T, D], b) {
    let wq = ramp(b.query); let wk = ramp(b.key); let wv = ramp(b.value); let wo = ramp(b.out);
    let q[h, n, t, e] = sum[d] x[n, t, d] * wq[h, d, e];
    let k[h, n, t, e] = sum[d] x[n, t, d] * wk[h, d, e];
    let v[h, n, t, e] = sum[d] x[n, t, d] * wv[h, d, e];
    let s[h, n, t, u] = sum[e] q[h, n, t, e] * k[h, n, u, e];
    let masked[h, n, t, u] = if u <= t => s[h, n, t, u] / 1.5 else -1e30;
    let a = softmax(masked);
    let m[h, n, t, e] = sum[u] a[h, n, t, u] * v[h, n, u, e];
    let y[n, t, d] = sum[h, e] m[h, n, t, e] * wo[h, e, d];
    return y to B;
}

fn forward[n](x: f32[n, T, D]) {
    var y = x;
    for i in 0..2 {
        let b = blocks[i];
        y = y + attend(layernorm(y, b.scale, b.shift), b);
        y = y + (gelu(rmsnorm(y, b.scale) @ ramp(b.up)) @ ramp(b.down) to B);
    }
    return y;
}
fn loss[n](x: f32[n, T, D]) { let y = forward(x); return mean(y * y); }

main {
    let x = reshape((iota(2 * T * D) * 5 % 17) as f32, [2, T, D]) * 0.1 to @p;
    let y = forward(x);
    print(y[0], y[1, 4]);
    let (l, g) = value_and_grad(loss)(x);
    print(l, sum(g.blocks[0].query * g.blocks[0].query) to B, g.blocks[1].scale, g.blocks[0].shift, g.blocks[1].out[3] to B);
    print(g.blocks[0].up[0] to B, g.blocks[1].down[.., 7] to B, g.blocks[0].key[2] to B);
}
