// Attention over so many tokens that it goes by blocks of its own accord, with grouped keys: causal, full and with a window; some rows of
// results and gradients. Values: expected.py (torch).
//% ranks 1 2
//% rtol 1e-4
import std.nn;
const N : int = 1;
const T : int = 1501;
place p = ranks(0..N);

fn ramp(shape: shape, step: int) { return reshape((iota(volume(shape)) * step % 1009) as f32 / 250.0, shape) - 2.0; }
fn rows(x) { return concat([x[0, .., 0..1, ..], x[0, .., 770..772, ..], x[0, .., T - 1..T, ..]], dim = 1); }
fn loss(q, k, v, causal: bool, window: int) {
    let o = nn.attention(q, k, v, causal, window);
    return sum(o * o * (o + 1.0)) to B;
}
fn shown(name, q, k, v, causal: bool, window: int) {
    let (l, (a, b, c)) = value_and_grad(loss)(q, k, v, causal, window);
    print(name, l, rows(nn.attention(q, k, v, causal, window)) to B, rows(a) to B, rows(b) to B, rows(c) to B);
}
main {
    let q = ramp([1, 4, T, 3], 37) to @p : S(1);
    let k = ramp([1, 2, T, 3], 41) to @p : S(1);
    let v = ramp([1, 2, T, 3], 43) to @p : S(1);
    shown("causal", q, k, v, true, 0);
    shown("full", q, k, v, false, 0);
    shown("window", q, k, v, true, 600);
}
