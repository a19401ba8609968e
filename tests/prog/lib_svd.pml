//% test 2 (1 3 4)
//% only without full rank
//% only however small
// Singular values and pseudoinverses of batches that are split, beside numbers of torch, of matrices without full rank, and derivatives of the first and
// second order beside differences.
import std.linalg;
place p = ranks(0..4);

fn wave(count: int, n: int, m: int) {
    let (b, i, j) = (iota(count) as f64, iota(n) as f64, iota(m) as f64);
    let x[l, r, c] = sin(1.0 + 3.0 * i[r] + 7.0 * j[c] + 2.0 * b[l] + i[r] * j[c]);
    return x;
}
fn apart(n: int, m: int) { return linalg.scaled_columns(wave(1, n, m)[0], 2.0 ** (iota(m) as f64)); }
fn worst(a, b) { return finish(max(abs(a - b))) to B; }

// Every property there is, worst of all.
fn wrong(a) {
    let (u, s, v) = linalg.svd(a);
    let k = shape(s)[-1];
    let (one, two) = (finish(transpose(u) @ u), finish(transpose(v) @ v));
    let order = if k > 1 => max(s[.., 1..k] - s[.., 0..k - 1]) to B else 0.0;
    return max(max(worst(linalg.scaled_columns(u, s) @ transpose(v), a), order), max(worst(one, linalg.eye_of(one)), worst(two, linalg.eye_of(two))));
}

fn values(a) { return linalg.svd(a)[1]; }
fn left(a) { return square(linalg.svd(a)[0]); }
fn right(a) { return square(linalg.svd(a)[2]); }
fn both(a) {
    let (u, s, v) = linalg.svd(a);
    return u @ transpose(v);
}
fn all_left(a) { return sum(left(a) * wave(1, shape(a)[0], 3)[0]); }
fn all_right(a) { return sum(right(a) * wave(1, shape(a)[1], 3)[0]); }
fn all_both(a) { return sum(sin(both(a)) * a) + sum(values(a) ** 3.0); }
fn inverse(a) { return linalg.pinv(a); }
fn all_inverse(a) { return sum(sin(linalg.pinv(a))); }

test "values" {
    let a = wave(3, 6, 4) to @p : S(0);
    assert(wrong(a) < 1e-14 && wrong(transpose(a)) < 1e-14 && wrong(a[.., .., 0..1]) < 1e-14 && wrong(wave(2, 40, 35)) < 1e-13);
    assert_close(values(a)[1] to B, [2.183968545845, 1.884842787068, 1.782518789893, 1.166839716503], rtol = 1e-11);
    assert_close(inverse(a)[2, 0] to B, [0.157369170241, 0.527896045792, 0.15662654857, 0.437697775034, 0.325731690819, 0.728217623509], rtol = 1e-11);
    assert(wrong(a as f32) < 1e-5);
    assert(worst(inverse(a) @ a, eye(4, dtype = f64)) < 1e-13 && worst(a @ inverse(a), transpose(a @ inverse(a))) < 1e-13);
}

test "without full rank" {
    let a = wave(2, 5, 2) @ wave(2, 2, 4) to @p : S(0);
    let q = inverse(a);
    assert(wrong(a) < 1e-14 && worst(a @ q @ a, a) < 1e-13 && worst(q @ a @ q, q) < 1e-13 && worst(q @ a, transpose(q @ a)) < 1e-13);
    assert(wrong(zeros([3, 2], dtype = f64) to @p) == 0.0 && worst(inverse(zeros([3, 2]) to @p), 0.0) == 0.0);
    assert(wrong(eye(5, dtype = f64) to @p) < 1e-14);
    let uneven = apart(6, 4) * [1e-9, 1e-3, 0.0, 1e3] as f64;
    assert(wrong(uneven) < 1e-11);
    assert_close(linalg.power([[1.0, 1.0], [1.0, 0.0]] as f64, 30)[0, 1], 832040.0);
}

// Columns that singular values bring close to each other: none, the last ones, these and those before them, all, and some that are nothing but rounding.
test "singular vectors of f32 are orthonormal however small values are" {
    let (x, y) = (linalg.qr(wave(2, 100, 96) to @p : S(0))[0], linalg.qr(wave(3, 96, 96)[1..3] to @p : S(0))[0]);
    let i = iota(96) as f64;
    let few = where(i < 64.0, 10.0 ** (-0.04 * i), 2e-7);
    for all in [1.0 + 0.01 * i, where(i < 80.0, 1.0, 1e-5), few, 10.0 ** (-0.07 * i), where(i < 80.0, 1.0, 0.0), where(i < 40.0, 1.0, 3e-6)] {
        let a = linalg.scaled_columns(x, all as f64) @ transpose(y);
        assert(wrong(a as f32) < 3e-6, message = "as many lines as columns or more");
        assert(wrong(transpose(a) as f32) < 3e-6, message = "fewer");
    }
    assert(wrong((x * (where(i < 80.0, 1.0, 0.0) as f64)) as f32) < 3e-6, message = "columns of 0");
}

test "derivatives" {
    let a = apart(5, 3);
    for f in [values, left, right, both, inverse] { check_gradient(f, a, directions = 1); }
    for f in [left, inverse] { check_gradient(f, transpose(a), directions = 1); }
    check_gradient(inverse, eye(3, dtype = f64), directions = 1);
    check_gradient(inverse, (wave(2, 4, 3) to @p : S(0)), directions = 1);
}

test "derivatives of the second order" {
    let a = apart(5, 3);
    for f in [all_left, all_both, all_inverse] { check_gradient(grad(f), a, rtol = 1e-5, directions = 1); }
    check_gradient(grad(all_inverse), eye(3, dtype = f64), rtol = 1e-5, directions = 1);
}
