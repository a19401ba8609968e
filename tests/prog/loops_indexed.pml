// Index notation at the number of a turn, as slices of that number are: t, t + 1, t - 1, 2 * t, T - 1 - t, names of these; nested loops, two
// numbers in one tensor, the same tensor twice; reductions; an index that is data read by it, and data beside it; ops that take it; what may be
// outside, and numbers that are no lines, turn by turn; split dimensions, that one too; gradients against differences.
//% ranks 1 (2) 3 (4)
//% also --loops=unrolled
//% rtol 1e-4
const N : int = 1;
const T : int = 6;
place p = ranks(0..N);
fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }

op scores(q[n, d], keys[n, t, d], at: int) -> [n] = sum[d] q[n, d] * keys[n, at, d];

fn plain(x) {
    var y = zeros([12, 4]) as f64;
    for t in 0..T {
        let a[n, d] = x[n, t, d] * x[n, T - 1 - t, d] + 0.5 * x[n, T - 1, d];
        y = y * 0.9 + a;
    }
    for t in 1..T - 1 {
        let next = t + 1;
        let a[n, d] = x[n, next, d] - 2.0 * x[n, t, d] + x[n, t - 1, d];
        y = y + a * t;
    }
    for t in 0..T / 2 {
        let a[n, d] = x[n, 2 * t, d] - x[n, 2 * t + 1, d] * x[n, 2 * t, d];
        let b[n, d] = x[n, t, d] * x[n, 2 * t, d];         // which begin alike
        y = tanh(y) + a + b;
    }
    return y;
}
fn sliced(x) {
    var y = zeros([12, 4]) as f64;
    for t in 0..T {
        let (a, b, c) = (x[.., t, ..], x[.., T - 1 - t, ..], x[.., T - 1, ..]);
        y = y * 0.9 + (a * b + 0.5 * c);
    }
    for t in 1..T - 1 { y = y + (x[.., t + 1, ..] - 2.0 * x[.., t, ..] + x[.., t - 1, ..]) * t; }
    for t in 0..T / 2 {
        let (a, b) = (x[.., 2 * t, ..], x[.., 2 * t + 1, ..]);
        let c[n, d] = a[n, d] - b[n, d] * a[n, d];
        y = tanh(y) + c + x[.., t, ..] * a;
    }
    return y;
}
// Attention over what came before, with a mask by the number; the same by an op, which is given it.
fn attended(x) {
    var q = x[.., 0, ..];
    for t in 0..T {
        let s[n, k] = sum[d] x[n, k, d] * x[n, t, d];
        let masked[n, k] = where(k <= t, s[n, k], -1000.0);
        let weights = softmax(masked, dim = 1);
        let a[n, d] = sum[k] weights[n, k] * x[n, k, d];
        q = q + a * unsqueeze(scores(q, x, t), dim = 1) * 0.01;
    }
    return q;
}
fn attended_sliced(x) {
    var q = x[.., 0, ..];
    for t in 0..T {
        let now = x[.., t, ..];
        let s = sum(x * unsqueeze(now, dim = 1), dim = 2);
        let weights = softmax(where(iota(T) <= t, s, -1000.0), dim = 1);
        let a = sum(unsqueeze(weights, dim = 2) * x, dim = 1);
        q = q + a * unsqueeze(sum(q * now, dim = 1), dim = 1) * 0.01;
    }
    return q;
}
// Two numbers, in either order, of one loop in the other, and one number twice; a count that the number says.
fn pairs(x) {
    var y = zeros([12]) as f64;
    for t in 0..T {
        for d in 0..4 {
            let a[n] = x[n, t, d] * x[n, T - 1 - t, 3 - d];
            y = y * 0.8 + a;
        }
        for u in 0..t { let a[n] = sum[d] x[n, t, d] * x[n, u, 3 - d]; y = y + 0.1 * a; }
    }
    for d in 0..4 {
        for t in 0..T { let a[n] = x[n, t, d] - x[2 * t, t, d]; y = y * 0.9 + a; }
    }
    for t in 0..4 { let a[n] = x[n, t, t]; y = y - a; }
    return y;
}
fn pairs_sliced(x) {
    var y = zeros([12]) as f64;
    for t in 0..T {
        for d in 0..4 { y = y * 0.8 + x[.., t, d] * x[.., T - 1 - t, 3 - d]; }
        for u in 0..t { y = y + 0.1 * sum(x[.., t, ..] * flip(x[.., u, ..], dim = 1), dim = 1); }
    }
    for d in 0..4 {
        for t in 0..T { let one = x[2 * t, t, d]; y = y * 0.9 + (x[.., t, d] - one); }
    }
    for t in 0..4 { y = y - x[.., t, t]; }
    return y;
}
// Data beside a number of turns, and data that it reads; numbers that are no lines; what may be outside.
const places = [3, 1, 0, 2, 1, 3, 5, 4, 2, 0, 1, 2];
fn by_data(x) {
    let at = places as i32;
    var y = zeros([12]) as f64;
    for t in 0..4 {
        let a[n] = sum[d] x[at[n], t, d] * x[n, at[t], d];
        let b[n] = x[n, floor_div(t, 2), t % 3] + x[n, t * t % T, 0];
        y = y * 0.9 + a - b;
    }
    for t in 0..T {
        let a[n] = x[n, (t - 1)?, 0] + x[n, t?, 1];
        let b[n] = sum[d] x[n, t, d] * ((n + t) as f64);
        y = y * 0.9 + a + b;
    }
    return y;
}
fn by_data_sliced(x) {
    let at = places as i32;
    var y = zeros([12]) as f64;
    for t in 0..4 {
        let (line, i) = (x[.., t, ..], at[t]);
        let there = x[.., i, ..];
        let a[n] = sum[d] line[at[n], d] * there[n, d];
        y = y * 0.9 + a - (x[.., floor_div(t, 2), t % 3] + x[.., t * t % T, 0]);
    }
    for t in 0..T {
        let line = x[.., t, ..];
        var before = zeros([12]) as f64;
        if t > 0 { before = x[.., t - 1, 0] + x[.., t, 1]; }
        let b[n] = sum[d] line[n, d] * ((n + t) as f64);
        y = y * 0.9 + before + b;
    }
    return y;
}
// A turn of a split dimension: computed by the rank that has it.
fn split(x) {
    var y = zeros([12, 4]) as f64;
    for t in 0..T { let a[n, d] = tanh(x[n, t, d]) * x[n, t, d]; y = y * 0.9 + a; }
    return y to B;
}
fn split_sliced(x) {
    let whole = x to B;
    var y = zeros([12, 4]) as f64;
    for t in 0..T { y = y * 0.9 + tanh(whole[.., t, ..]) * whole[.., t, ..]; }
    return y;
}

fn weighed(f, x) { let y = f(x); return sum(y * (reshape(iota(volume(y)) % 7, shape(y)) as f64)) to B; }
fn of_plain(x) { return weighed(plain, x); }
fn of_sliced(x) { return weighed(sliced, x); }
fn of_split(x) { return weighed(split, x); }
fn of_split_sliced(x) { return weighed(split_sliced, x); }
fn of_attended(x) { return weighed(attended, x); }
fn of_attended_sliced(x) { return weighed(attended_sliced, x); }
fn of_pairs(x) { return weighed(pairs, x); }
fn of_pairs_sliced(x) { return weighed(pairs_sliced, x); }
fn of_data(x) { return weighed(by_data, x); }
fn of_data_sliced(x) { return weighed(by_data_sliced, x); }

// The derivative along v by differences.
fn slope(f, x, v) { return (f(x + 1e-5 * v) - f(x - 1e-5 * v)) / 2e-5; }
fn compare(f, g, x, v) {
    let (a, by) = value_and_grad(f, wrt = "x")(x);
    let (b, of) = value_and_grad(g, wrt = "x")(x);
    assert(abs(a - b) <= 1e-9 * abs(b), "a value differs from that of slices");
    assert((max(abs(by - of)) to B) <= 1e-9, "a gradient differs from that of slices");
    let (d, along) = (slope(f, x, v), sum(by * v) to B);
    assert(abs(d - along) <= 1e-4 * (1.0 + abs(d)), "a gradient is no slope");
    print(a, along);
}
main {
    let (x, v) = (ramp([12, T, 4], 7), ramp([12, T, 4], 5));
    compare(of_plain, of_sliced, x to @p : S(0), v to @p : S(0));
    compare(of_attended, of_attended_sliced, x to @p : S(0), v to @p : S(0));
    compare(of_plain, of_sliced, x to @p : S(2), v to @p : S(2));
    compare(of_split, of_split_sliced, x to @p : S(1), v to @p : S(1));
    compare(of_plain, of_sliced, x to @p : B, v to @p : B);
    compare(of_pairs, of_pairs_sliced, x to @p : B, v to @p : B);
    compare(of_data, of_data_sliced, x to @p : B, v to @p : B);
}
