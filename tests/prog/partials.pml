// Unfinished sums, maxima, minima and products: made by splits, by `to`, passed through functions, finished in each way.
//% ranks 1 (2 3) 4
const N : int = 1;
place p = ranks(0..N);

fn linear(x: f32[5] @ p : P) -> f32[5] @ p : P { return 2.0 * x - x / 4.0; }
fn monotone(x: f32[5] @ p : P(max)) -> f32[5] @ p : P(max) { return exp(x - 2.0) + 1.0; }

main {
    let m = reshape((iota(15) * 7 % 11) as f32, [3, 5]) - 4.0 to @p : S(0);
    let s = sum(m, dim = 0);
    print("sum", s to B, s to S(0) to B, s + s to B, s - 3.0 * s to B, s + 1.0 to B, linear(s) to B, -s to B, sum(s) to B);
    let x = max(m, dim = 0);
    print("max", x to B, x to S(0) to B, maximum(x, x + 1.0) to B, monotone(x) to B, -x to B, x + 1.0 to B, max(x) to B, relu(x) to B);
    let n = min(m, dim = 0);
    print("min", n to B, n to S(0) to B, minimum(n, n + 2.0) to B, tanh(n) to B, -n to B, min(n) to B);
    let q = prod(m, dim = 0);
    print("prod", q to B, q to S(0) to B, q * q to B, abs(q) to B, prod(q) to B);
    let w = m to B;
    print("made", w to P to B, (w to P(max)) to B, (w to P(min)) to B, (w to P(prod)) to S(0) to B, (m to P) to S(1) to B);
    print("ints", sum(m as i32, dim = 0) to B, max(m as i32, dim = 0) to S(0) to B, min(m as u8, dim = 0) to B, prod(m as i64 + 5, dim = 0) to B);
    print("wide", sum(m as f64, dim = 0) to B, max(m as bf16, dim = 0) to B, min(m as f16, dim = 0) to B, sum(m as f16, dim = 0) to B);
    print("bools", any(m > 5.0, dim = 0) to B, all(m > -4.0, dim = 0) to S(0) to B, any(m > 5.0) to B, sum(m > 0.0, dim = 0) to B);
    print("joined", concat([s, 2.0 * s]) to B, s[1..4] to B, transpose(sum(reshape(iota(12) as f32, [2, 3, 2]) to @p : S(0), dim = 0)) to B);
    print("where", where(w[0] > 0.0, s, 0.0 * s) to B, reshape(s, [5, 1]) @ ones([1, 2]) to B);
}
