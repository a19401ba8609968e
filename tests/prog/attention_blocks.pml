// Attention by blocks against attention with all scores at once, in f64: values and gradients; causal, full, windows, grouped queries,
// fewer queries than keys, tokens that blocks do not divide; split over heads, batch or tokens.
//% ranks 1 (2) 4
//% long
import std.nn;
const N : int = 1;
const T : int = 10;
place p = ranks(0..N);

fn loss(q, k, v, causal: bool, window: int, blocks: int) {
    let o = nn.attention(q, k, v, causal, window, blocks);
    return sum(o * o * (reshape(iota(volume(o)) % 5, shape(o)) as f64)) to B;
}
/// Tokens split: heads are split instead within, by two all-to-alls forward.
fn exchanged(q, k, v, causal: bool, window: int, blocks: int) {
    let o = nn.attention(q to S(1), k to S(1), v to S(1), causal, window, blocks) to S(2);
    return sum(o * o * (reshape(iota(volume(o)) % 5, shape(o)) as f64)) to B;
}
fn near(a, b) { assert(max(abs((a to B) - (b to B))) < 1e-12); }
fn compare(q, k, v, causal: bool, window: int, blocks: int) {
    let (a, b, c) = grad(loss)(q, k, v, causal, window, 1);
    let (d, e, f) = grad(loss)(q, k, v, causal, window, blocks);
    near(loss(q, k, v, causal, window, 1), loss(q, k, v, causal, window, blocks));
    near(a, d); near(b, e); near(c, f);
    let (x, y, z) = grad(exchanged)(q to S(2), k to S(2), v to S(2), causal, window, blocks);
    near(a, x); near(b, y); near(c, z);
    print(loss(q, k, v, causal, window, blocks), sum(abs(e)) to B);
}
main {
    let q = normal(rng(1), [4, 4, T, 4], std = 1.0, dtype = f64) to @p;
    let k = normal(rng(2), [4, 4, T, 4], std = 1.0, dtype = f64) to @p;
    let v = normal(rng(3), [4, 4, T, 4], std = 1.0, dtype = f64) to @p;
    compare(q, k, v, true, 0, 2);
    compare(q to S(0), k to S(0), v to S(0), true, 0, 3);
    compare(q to S(1), k to S(1), v to S(1), true, 3, 4);
    compare(q, k, v, false, 0, 3);
    compare(q, k, v, false, 2, 20);
    compare(q[.., .., 6..10, ..], k, v, true, 0, 2);
    compare(q[.., .., 3..10, ..], k, v, true, 4, 3);
    let fewer = k[.., 0..2, .., ..];
    let (a, b, c) = grad(loss)(q, fewer, v[.., 1..3, .., ..], true, 0, 1);
    let (d, e, f) = grad(loss)(q, fewer, v[.., 1..3, .., ..], true, 0, 4);
    near(a, d); near(b, e); near(c, f);
    print(shape(e), sum(abs(e)) to B);
    // Products of slices of one tensor are matrix multiplications that read in place; max() makes copies.
    let all = normal(rng(4), [3, 2, 36, 33], std = 1.0, dtype = f64) to @p;
    let x = all[1, .., 3..35, 1..33];
    let y = all[2, .., 0..32, 1..33];
    let here[b, i, j] = sum[c] x[b, i, c] * y[b, j, c];
    let xs = max(x, -100.0);
    let ys = max(y, -100.0);
    let copied[b, i, j] = sum[c] xs[b, i, c] * ys[b, j, c];
    near(here, copied);
}
