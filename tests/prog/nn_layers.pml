// Attention (causal, full, grouped), rotary positions and MLPs of std.nn, with gradients. Values: expected.py (torch).
//% ranks 1 3 (2 4)
//% rtol 1e-4
import std.nn;
const N : int = 1;
place p = ranks(0..N);

fn ramp(shape: shape, step: int) { return reshape((iota(volume(shape)) * step % 13) as f32 * 0.1, shape) - 0.5; }

param w    : f32[4, 6, 3] @ p : S(0) = ramp([4, 6, 3], 5);
param up   : f32[6, 8] @ p : S(1) = ramp([6, 8], 3);
param gate : f32[6, 8] @ p : S(1) = ramp([6, 8], 4);
param b    : f32[8] @ p : S(0) = ramp([8], 2);
param down : f32[8, 6] @ p : S(0) = ramp([8, 6], 7);
param c    : f32[6] @ p = ramp([6], 1);

fn attending(x: f32[2, 5, 6] @ p) {
    let q[n, h, t, k] = sum[d] x[n, t, d] * w[h, d, k];
    return sum(square(nn.attention(q, q * 0.5, q))) to B;
}
fn hidden(x: f32[2, 5, 6] @ p) { return sum(square((nn.mlp(x, up, b, down, 0.0) to B) + c)); }
fn gated(x: f32[2, 5, 6] @ p) { return sum(square(nn.swiglu(x, gate, up, down) to B)); }

main {
    let q = ramp([2, 4, 5, 6], 3) to @p : S(1);
    let k = ramp([2, 4, 5, 6], 5) to @p : S(1);
    let v = ramp([2, 4, 5, 6], 7) to @p : S(1);
    let few = ramp([2, 2, 5, 6], 7) to @p;
    let longer = ramp([2, 4, 7, 6], 5) to @p : S(1);
    print("causal", sum(nn.attention(q, k, v), dim = 3) to B);
    print("full", sum(nn.attention(q, k, v, causal = false), dim = 3) to B);
    print("grouped", sum(nn.attention(q, few, few * 2.0), dim = 3) to B);
    print("longer", sum(nn.attention(q, longer, longer), dim = 3) to B);
    print("rotary", sum(nn.rotary(q), dim = 1) to B, sum(nn.rotary(q, base = 100.0, first = 3), dim = 1) to B);
    let x = ramp([2, 5, 6], 2) to @p;
    let (l, g) = value_and_grad(attending)(x);
    print("attention", l, g.w to B);
    let (m, h) = value_and_grad(hidden)(x);
    print("mlp", m, h.up to B, h.b to B, h.down to B, h.c);
    let (n, s) = value_and_grad(gated)(x);
    print("swiglu", n, s.gate to B, s.up to B, s.down to B);
}
