// Infinities, divisions by 0 and zeros of both signs beside parts: what a rank does not have takes no part in what becomes of
// the rest, and parts of different signs that meet an infinity are added before.
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);
op table(t[v, d], i[n]: int) -> [n, d] = t[i, d];

fn slices(x: f32[6], v: f32[3]) {
    let (y, w) = (x to @p : S(0), v to @p : B);
    print("slices", y[1..4] * w to B, y[1..4] / w to B);
}
fn kept(x: f32[3], v: f32[3]) {
    let (y, w) = (x to @p : B to P, v to @p : B);
    print("kept", y * w to B, -y / w to B, 1.0 / (y * w * 0.0 to B));
}
fn dealt(x: f32[3], v: f32[3]) {
    let (y, w) = (x to @p : S(0) to P, v to @p : B);
    print("dealt", y * w to B, w * y to S(0) to B, w - y / 2.0 to B);
}
fn rows(x: f32[8, 3], v: f32[3]) {
    let (t, i, w) = (x to @p : S(0), [0, 3, 7, 2] as i32 to @p : B, v to @p : B);
    let r = table(t, i);
    print("rows", r * w to B, embed(t, i) / w to B, 2.0 * (r / w) - 1.0 to S(0) to B, sum(r * w) to B);
}
fn sums(x: f32[4], v: f32[3]) {
    let (s, w) = (sum(x to @p : S(0)), v to @p : B);
    let scaled = s * w;
    print("sums", scaled to B, s / w to B, sum(scaled[0..1]) - s to B, w * s + w to B);
}
fn products(x: f32[2, 4], y: f32[4, 3], v: f32[3, 2], m: bool[3]) {
    let (a, b, w) = (x to @p : S(1), y to @p : S(0), v to @p : B);
    print("products", (a @ b) @ w to B, (a @ b) * ((m to @p : B) as f32) / 4.0 + 1.0 to B);
}
fn zeros_of(z: f32[5]) {
    let (x, i) = (z to @p : S(0), iota(5) as i32 to @p : B);
    let v = x to P;
    print("zeros", 1.0 / (v * 2.0 to B), 1.0 / (v to B), 1.0 / (x[1..4] to B), 1.0 / (take(x, i) to B));
    print(1.0 / (-take(x, i) to B), 1.0 / (take(x, i) + take(x, i) to B), 1.0 / (take(x, i) - v to B));
    print(1.0 / (pad(x, 1, 1) to B), 1.0 / (x[1..4] * -3.0 to S(0) to B), 1.0 / (sum(x) to B), 1.0 / (cumsum(x) to B));
}
// Sums of as many terms as there are ranks and fewer: one on a rank, or none.
fn sums_of_few(z: f32[2, 3]) {
    let (rows, row, x) = (z to @p : S(0), z[..1] to @p : S(0), [-2.0] as f32 to @p : S(0));
    print("few", 1.0 / (sum(rows, dim = 0) to B), 1.0 / (sum(row, dim = 0) to B), 1.0 / (mean(row, dim = 0) to B));
    print("product", 1.0 / (x @ row to B), 1.0 / (sum(row) to B));
}
// Terms of both signs that add up to 0, of which each rank has some: what is made of the sum has the sign of a 0.
fn cancelled(z: f32[4, 3]) {
    let (x, w) = (z to @p : S(0), [2.0, -1.0, -3.0] as f32 to @p : B);
    let s = sum(x, dim = 0);
    let (t, narrow) = (s * -2.0, -s);
    print("cancelled", 1.0 / (-s to B), 1.0 / (s / -3.0 to S(0) to B), 1.0 / (2.0 * t to B), 1.0 / (tanh(w) * s to B));
    print(1.0 / (s - s to B), 1.0 / (-(s * 2.0) to B), 1.0 / (narrow as f64 to B), 1.0 / (-sum(x) to B), 1.0 / (narrow @ w to B));
    print(1.0 / (narrow to B), 1.0 / (-narrow to B));
}
// One rank has the zeros, the others -inf, of which a maximum with 0 makes 0.
fn largest_of(z: f32[3]) {
    let (x, y) = (z to @p : P(max), z to @p : P(min));
    print("largest", 1.0 / (relu(x) to B), 1.0 / (max(0.0, x) to B), 1.0 / (min(y, 0.0) to B));
}
fn loss(y: f32[6] @ p : S(0), w: f32[3] @ p : B, i: i32[2] @ p : B) -> f32 @ p : B {
    return sum(y[1..4] * w) + sum(take(y, i) / w[0..2]) to B;
}

main {
    let zero = uniform(rng(1), [3]) * 0.0;
    let inf = 1.0 / zero[0];
    var w = [1.0, 2.0, 3.0] as f32 + zero;
    w[1] = inf;
    w[2] = -inf;
    let y = iota(6) as f32 + 1.0;
    let t = reshape(iota(24), [8, 3]) as f32 + 1.0;
    let a = [3.0, 1.0, 1.0, -2.0] as f32;
    for v in [w, zero] {
        slices(y, v);
        kept(y[0..3], v);
        dealt(y[0..3], v);
        rows(t, v);
        sums(a, v);
        products(reshape(iota(8) as f32 - 3.0, [2, 4]), reshape(iota(12) as f32 - 5.0, [4, 3]), stack([v, v], dim = 1), [true, false, true]);
        let (l, (dy, dw)) = value_and_grad(loss)(y to @p : S(0), v to @p : B, [5, 0] as i32 to @p : B);
        print("gradient", l, dy to B, dw to B);
    }
    let minus = uniform(rng(1), [5]) * -0.0;
    zeros_of(minus);
    zeros_of(-minus);
    largest_of(minus[..3]);
    largest_of(-minus[..3]);
    cancelled(stack([y[..3], -2.0 * y[..3], y[3..] - y[3..], y[..3]], dim = 0));
    for few in [stack([minus[..3], minus[..3]], dim = 0), stack([-minus[..3], minus[..3]], dim = 0)] { sums_of_few(few); }
}
