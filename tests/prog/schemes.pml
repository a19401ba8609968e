// One block in the schemes of std.parallel on one mesh: tensor, ZeRO-3 with tensor, sequence, context. All give the same loss and
// gradients on every mesh, and those of the block without any scheme; ZeRO-2 updates alike.
//% layouts 0 (1 2) 3
//% rtol 1e-4
import std.nn;
import std.optim;
import std.parallel;
const LAYOUT : int = 0;
const DP : int = 1 + LAYOUT % 2;
const TP : int = 1 + floor_div(LAYOUT, 2);
const N : int = 4;
const T : int = 6;
const D : int = 8;
const H : int = 4;
place grid = ranks(0..DP * TP) as (dp = DP, tp = TP);

param wq : f32[D, H, 2] @ grid : (tp=S(1)) = full(0.5);
param wo : f32[H, 2, D] @ grid : (tp=S(0)) = full(0.25);
param wu : f32[D, 12] @ grid : (tp=S(1)) = full(0.5);
param wd : f32[12, D] @ grid : (tp=S(0)) = full(0.25);
param shares_q : f32[D, H, 2] @ grid : (dp=S(0), tp=S(1)) = full(0.5);
param shares_u : f32[D, 12] @ grid : (dp=S(0), tp=S(1)) = full(0.5);
param shares_d : f32[12, D] @ grid : (dp=S(1), tp=S(0)) = full(0.25);

param alone : f32[D, 12] @ grid = full(0.5);

fn ramp(w) { return w * ((reshape((iota(volume(w)) * 7 % 11) as f32, shape(w)) - 5.0) * 0.2); }
fn heads[n, t](x: f32[n, t, D], w: f32[D, H, 2]) { let q[n, h, t, k] = sum[d] x[n, t, d] * w[d, h, k]; return q; }
op joined(o[n, h, t, k], w[h, k, d]) -> [n, t, d] = sum[h, k] o * w;

fn none_of_them(x: f32[N, T, D]) {
    let z = x to B;
    let q = heads(z, ramp(wq to B));
    let r = z + joined(nn.attention(q, q, q), ramp(wo to B));
    let y = r + gelu(r @ ramp(wu to B)) @ ramp(wd to B);
    return mean(y * y) to B;
}
fn tensor(x: f32[N, T, D]) {
    let q = heads(x, ramp(wq));
    let r = x + parallel.summed(joined(nn.attention(q, q, q), ramp(wo)));
    let y = r + parallel.summed(gelu(r @ ramp(wu)) @ ramp(wd));
    return mean(y * y) to B;
}
fn zero_3(x: f32[N, T, D]) {
    let q = heads(x, ramp(parallel.whole(shares_q)));
    let r = x + parallel.summed(joined(nn.attention(q, q, q), ramp(wo)));
    let y = r + parallel.summed(gelu(r @ ramp(parallel.whole(shares_u))) @ ramp(parallel.whole(shares_d)));
    return mean(y * y) to B;
}
fn sequence(x: f32[N, T, D]) {
    let z = parallel.scatter_tokens(x);
    let q = heads(parallel.gather_tokens(z), ramp(wq));
    let r = z + parallel.scatter_tokens(joined(nn.attention(q, q, q), ramp(wo)));
    let y = r + parallel.scatter_tokens(gelu(parallel.gather_tokens(r) @ ramp(wu)) @ ramp(wd));
    return mean(y * y) to B;
}
fn context(x: f32[N, T, D]) {
    let z = parallel.scatter_tokens(x);
    let q = parallel.split_heads(heads(z, ramp(wq to B)));
    let r = z + joined(parallel.split_tokens(nn.attention(q, q, q)), ramp(wo to B));
    let y = r + gelu(r @ ramp(wu to B)) @ ramp(wd to B);
    return mean(y * y) to B;
}
fn squares(x: f32[N, T, D]) { return mean(square(x @ ramp(alone))) to B; }

main {
    let x = parallel.batch(reshape((iota(N * T * D) * 5 % 17) as f32, [N, T, D]) * 0.1 - 0.8, grid);
    let (a, g) = value_and_grad(none_of_them)(x);
    print("none", a, g.wq[1] to B, g.wd[3] to B);
    let (b, h) = value_and_grad(tensor)(x);
    print("tensor", b, h.wq[1] to B, h.wo[1] to B, h.wd[3] to B);
    let (c, i) = value_and_grad(zero_3)(x);
    print("zero-3", c, i.shares_q[1] to B, i.shares_d[3] to B);
    let (d, j) = value_and_grad(sequence)(x);
    print("sequence", d, j.wq[1] to B, j.wd[3] to B);
    let (e, k) = value_and_grad(context)(x);
    print("context", e, k.wq[1] to B, k.wd[3] to B);
    assert_close(h.wo, k.wo, rtol = 1e-4, atol = 1e-6);
    assert_close(h.wu, j.wu, rtol = 1e-4, atol = 1e-6);
    let (f, m) = value_and_grad(squares, grads : (dp=S(0)))(x);
    optim.sgd(m, lr = 0.1, momentum = 0.9);
    print("zero-2", f, squares(x), alone[1]);
}
