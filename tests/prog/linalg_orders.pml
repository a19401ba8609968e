// Derivatives of what `std.linalg` gives, and derivatives of these, beside differences; matrices in batches that are split.
//% test 1 3 (2 4)
import std.linalg;
place p = ranks(0..4);

fn definite(a) { return finish(a @ transpose(a)) + 0.5 * eye(4) as f64; }
// Of each element another weight, so that nothing cancels.
fn weighed(y) { return finish(sum(y * y * (y + 0.3 * reshape((iota(volume(y)) % 7) as f64, shape(y))))); }
fn value(a, k: int) {
    let (tall, wide) = (a[.., 0..4, 0..3], a[.., 0..3, 0..4]);
    if k == 0 { return weighed(linalg.inverse(a)); }
    if k == 1 { return weighed(linalg.solve(a, transpose(a))); }
    if k == 2 { return weighed(linalg.solve(definite(a), a[.., 0], positive = true)); }
    if k == 3 { return weighed(linalg.cholesky(definite(a))); }
    if k == 4 { return weighed(linalg.triangular_solve(a, transpose(a), lower = false)); }
    if k == 5 { return weighed(linalg.triangular_solve(a, a[.., 1], unit = true, transposed = true)); }
    if k == 6 { return weighed(linalg.logdet(a)[1]); }
    if k == 7 { return weighed(linalg.det(a)); }
    if k == 8 {
        let (w, v) = linalg.eigh(a);
        return weighed(w) + weighed(v * v);
    }
    if k <= 11 {
        let (u, s, v) = linalg.svd(if k == 9 => a else if k == 10 => tall else wide);
        return weighed(s) + weighed(u * u) + weighed(v * v);
    }
    if k <= 14 {
        let (q, r) = linalg.qr(if k == 12 => a else if k == 13 => tall else wide);
        return weighed(q) + weighed(r);
    }
    if k == 15 { return weighed(linalg.least_squares(tall, a[.., 3])); }
    if k <= 17 { return weighed(linalg.pinv(if k == 16 => tall else wide)); }
    return weighed(linalg.lu(a)[1]);
}
fn slope(a, d, k: int) { return finish(sum(grad(value, wrt = "a")(a, k) * d)); }
fn curve(a, d, k: int) { return finish(sum(grad(slope, wrt = "a")(a, d, k) * d)); }
fn agrees(by_rule, above, below) { assert_close(by_rule, (above - below) / 2e-5, rtol = 2e-6, atol = 1e-6); }

test "orders" {
    let a = (normal(rng(1), [2, 4, 4]) as f64 + 3.0 * eye(4) as f64) to @p : S(0);
    let d = (normal(rng(2), [2, 4, 4]) as f64) to @p : S(0);
    for k in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18] {
        agrees(slope(a, d, k), value(a + 1e-5 * d, k), value(a - 1e-5 * d, k));
        agrees(curve(a, d, k), slope(a + 1e-5 * d, d, k), slope(a - 1e-5 * d, d, k));
    }
}

// What has no answer in a part keeps the rest: a column of zeros, values that are equal, a value of 0.
fn of_qr(a) { let (q, r) = linalg.qr(a); return sum(q * q) + sum(r); }
fn of_eigh(a) { let (w, v) = linalg.eigh(a); return sum(w * w) + sum(v * v); }
fn of_svd(a) { let (u, s, v) = linalg.svd(a); return sum(s * s) + sum(u * u); }
test "edges" {
    let zero = diag([2.0, 0.0, 1.0] as f32);
    for g in [grad(of_qr)(zero), grad(of_eigh)(zero), grad(of_svd)(zero), grad(of_eigh)(eye(3)), grad(of_svd)(eye(3))] { assert(all(g == g), message = "not a number"); }
    assert_close(grad(of_eigh)(zero), 2.0 * zero);
    assert_close(grad(of_svd)(zero), 2.0 * zero);
    assert_close(grad(of_eigh)(eye(3)), 2.0 * eye(3));
}
