// Elements that a loop changes in each turn while it reads others of the tensor: those it never comes to, and those it does; put, updated, added
// to; where the loop makes no turn; at numbers and at turns of loops around; in tensors of one and three dimensions and of ints; beside the same computed
// turn by turn; gradients against differences. Factorisations, recurrences, tables of dynamic programming.
//% ranks 1 (2) 3
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.03; }

// The loop reads before the element, and behind it.
fn triangle(a) {
    var x = a;
    for i in 0..8 {
        for j in 0..i {
            for k in 0..j { x[i, j] -= x[i, k] * x[j, k]; }
            x[i, j] /= x[j, j];
        }
        for k in i + 1..8 { x[i, i] = 0.5 * x[i, i] + x[i, k] * x[k, i]; }
    }
    return x;
}
// It comes to the element: in some turns, in all, by another dimension.
fn meets(a) {
    var x = a;
    for i in 0..8 {
        for j in 0..8 {
            for k in 0..j + 1 { x[i, j] += 0.1 * x[i, k]; }
            for k in j..8 { x[i, j] = 0.5 * x[i, j] - 0.1 * x[k, i]; }
            for k in 0..i { x[i, j] += 0.01 * x[i, j] * x[k, j]; }
        }
    }
    return x;
}
fn backward(a) {
    var w = a[0];
    for i in 1..8 { for k in 0..i { w[i] += a[k, i] * w[i - k - 1]; } }
    for i in 1..8 { for k in 0..i + 1 { w[i] += 0.1 * w[i - k]; } }
    return w;
}
fn deep(a) {
    var x = reshape(a, [2, 4, 8]);
    for t in 0..2 {
        for i in 0..4 {
            for k in 1..8 { x[t, i, 0] += x[1 - t, i, k] * x[t, i, k]; }
            for k in 0..8 { x[t, 3 - i, 7] = tanh(x[t, 3 - i, 7] + x[t, i, 0]); }
        }
    }
    return reshape(x, [8, 8]);
}
// No turn, a count that is nothing for some, an element at a number.
fn none(a) {
    var x = a;
    for i in 0..8 {
        for k in 5..5 - i { x[i, 3] = x[i, k] * 2.0; }
        for k in 4..i { x[2, 0] += x[k, 1]; }
        for k in 0..2 { x[i, 7] -= x[i, 2 * k + 1]; }
    }
    return x;
}
fn best(s: i64[12]) {
    var t = zeros([12, 12], dtype = i64);
    for r in 0..12 {
        let i = 11 - r;
        for j in i + 1..12 {
            t[i, j] = t[i, j - 1] + (s[i] + s[j]) % 2;
            for k in i + 1..j { t[i, j] = max(t[i, j], t[i, k] + t[k + 1, j]); }
        }
    }
    return t;
}

fn weighed(y) { return sum(y * (reshape(iota(volume(y)) % 7, shape(y)) as f64)); }
fn of_triangle(a) { return weighed(triangle(a + 8.0 * eye(8, dtype = f64))); }
fn of_meets(a) { return weighed(meets(a)); }
fn of_backward(a) { return weighed(backward(a)); }
fn of_deep(a) { return weighed(deep(a)); }
fn of_none(a) { return weighed(none(a)); }
fn look(f, a, v) {
    let (y, g) = value_and_grad(f, wrt = "a")(a);
    let (d, along) = ((f(a + 1e-6 * v) - f(a - 1e-6 * v)) / 2e-6, sum(g * v));
    assert(abs(d - along) <= 1e-4 * (1.0 + abs(d)), "a gradient is no slope");
    assert(f(a) == y, "a value differs where it is differentiated");
    print(y, along);
}
main {
    let (a, v) = (ramp([8, 8], 7) to @p : B, ramp([8, 8], 5) to @p : B);
    look(of_triangle, a, v);
    look(of_meets, a, v);
    look(of_backward, a, v);
    look(of_deep, a, v);
    look(of_none, a, v);
    print(sum(best(iota(12) * 7 % 5 to @p : B) * (reshape(iota(144) % 11, [12, 12]) to @p : B)));
}
