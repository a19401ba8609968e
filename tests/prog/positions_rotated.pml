// Rotary positions at rates of longer contexts, of tokens in any order, in pairs of neighbours; scores of another scale, in a ring in a zigzag too; and biases by
// buckets of distances: with gradients. Values: expected.py (torch).
//% ranks 1 2 (3) 4
//% rtol 1e-4
import std.nn;
const N : int = 1;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
const T : int = 24;
param wq : f32[5, 4, 8] @ p = numbers([5, 4, 8], 37);
param wk : f32[5, 2, 8] @ p = numbers([5, 2, 8], 53);
param table : f32[6, 4] @ p = numbers([6, 4], 91);
state x : f32[2, T, 5] @ p : S(1) = numbers([2, T, 5], 13);
state y : f32[2, T, 5] @ p = numbers([2, T, 5], 13);

fn heads(x, w) { let h[n, m, t, e] = sum[d] x[n, t, d] * w[d, m, e]; return h; }

/// Distances up to 2 have buckets of their own, those up to 12 and beyond share two of each side.
fn bucket(far) {
    let d = abs(far);
    let long = 1 + (ln(maximum(d, 1) as f32) / ln(12.0) * 2.0) as i64;
    return 3 * (far > 0) as i64 + where(d < 2, d, minimum(long, 2));
}
fn whole(x) {
    let rates = nn.rotary_rates(8, base = 500.0, stretch = 4.0, context = 20.0, low = 1.0, high = 3.0);
    let far = unsqueeze(iota(T), dim = 0) - unsqueeze(iota(T), dim = 1);
    let bias = permute(nn.embedding(table, bucket(far)), [2, 0, 1]);
    let (q, k) = (nn.rotary(heads(x, wq), rates = rates), nn.rotary(heads(x, wk), rates = rates));
    let o = nn.attention(q, k, heads(x, wk), scale = 0.5, bias = bias, causal = false);
    let (a, b) = (nn.rotary(heads(x, wq), first = 3, neighbours = true), nn.rotary(heads(x, wk), first = 3, neighbours = true));
    return mean(square(o)) + mean(nn.attention(a, b, heads(x, wk), window = 5, scale = 0.2) * o) to B;
}
/// The tokens in the order of a zigzag, split: the same as in their order.
fn ring(x) {
    let order = nn.zigzag(T, shards = N);
    let z = take(x to B, order, dim = 1) to S(1);
    let (q, k) = (nn.rotary(heads(z, wq), positions = order), nn.rotary(heads(z, wk), positions = order));
    return mean(square(nn.ring_attention(q, k, heads(z, wk), shards = N, zigzag = true, scale = 0.5))) to B;
}
main {
    let (l, g) = value_and_grad(whole)(y);
    print(l, g.wq[1], g.wk[2], g.table);
    let (m, h) = value_and_grad(ring)(x);
    print(m, h.wq[1], h.wk[2]);
}
