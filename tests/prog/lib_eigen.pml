//% test 2 (1 2)
//% only equal and uneven values
//% only singular values
//% only clusters, and f32
//% only of all lines at once, in loops, and derivatives
// Eigenvalues and vectors of more lines than are solved at once: by halves, against their definition and known values; equal, almost equal and uneven
// values, blocks that nothing joins, in batches that are split.
import std.linalg;
place p = ranks(0..2);

fn wave(count: int, n: int, m: int) {
    let (b, i, j) = (iota(count) as f64, iota(n) as f64, iota(m) as f64);
    let x[l, r, c] = sin(1.0 + 3.0 * i[r] + 7.0 * j[c] + 2.0 * b[l] + i[r] * j[c]);
    return x;
}
fn worst(a, b) { return finish(max(abs(a - b))) to B; }
fn worst_of_each(a, b) { return finish(max(max(abs(a - b), dim = -1), dim = -1)); }
op three_lines(d[.., i], e[.., i], f[.., j]) -> [.., i, j] = if i == j => d else if j == i + 1 => e else if i == j + 1 => f else 0;
op turned_by(q[i, k], d[l, k], r[j, k]) -> [l, i, j] = sum[k] q * d * r;

// The largest errors of a v = v diag(w) and of orthogonality, relative to the largest value of each matrix.
fn wrong(a, w, v) {
    let size = linalg.or_one(max(abs(w), dim = -1));
    let by = worst_of_each(a @ v, linalg.scaled_columns(v, w)) / size;
    return max(max(by) to B, worst(transpose(v) @ v, linalg.eye_of(a)));
}
fn falls(w) { return max(w[.., 0..shape(w)[-1] - 1] - w[.., 1..shape(w)[-1]]) to B; }

// Values that are all 0, all 3, apart, uneven, and in two groups, of diagonal matrices and of others; a block beside zeros; very large and very small ones.
fn matrices() {
    let n = 64;
    let i = iota(n) as f64;
    let values = stack([0.0 * i, 0.0 * i + 3.0, i - 40.0, 10.0 ** (-0.5 * i), where(i < 20.0, 1.0, 0.0 * i + 2.0)], dim = 0);
    let a = linalg.symmetric(wave(1, n, n));
    let q = linalg.qr(a[0])[0];
    let block = pad(pad(linalg.symmetric(wave(1, 37, 37)), after = 27), after = 27, dim = -2);
    let all = concat([diag(values), linalg.symmetric(turned_by(q, values, q)), block, 1e30 * a, 1e-30 * a, a], dim = 0);
    return all to @p : S(0);
}

test "equal and uneven values" {
    let a = matrices();
    let (w, v) = linalg.eigh(a);
    assert(wrong(a, w, v) < 1e-13 && falls(w) < 1e-14 * 1e30);
    assert(falls(w[0..10]) < 1e-13);
}

test "known values" {
    let n = 70;
    let one = ones([n], dtype = f64);
    let middle = 3.0 * abs(iota(n) as f64 - 35.0);                  // with pairs that almost agree (Wilkinson)
    let a = stack([linalg.symmetric(wave(1, n, n)[0]), three_lines(2.0 * one, -one, -one), three_lines(middle, one, one)], dim = 0) to @p : S(0);
    let (w, v) = linalg.eigh(a);
    assert(wrong(a, w, v) < 1e-13 && falls(w) < 1e-12);
    assert(worst(w[1] to B, 2.0 - 2.0 * cos((iota(n) as f64 + 1.0) * (pi / (n + 1)))) < 1e-14);
}

test "few lines, of which rounding is all there is" {
    let (q, r) = linalg.qr(wave(1, 20, 20)[0]);
    let a = linalg.symmetric((3.0 * q) @ transpose(q)) to @p;
    let (w, v) = linalg.eigh(a);
    assert(worst(w, 3.0) < 1e-13 && worst(transpose(v) @ v, linalg.eye_of(a)) < 1e-13);
}

test "singular values" {
    let a = wave(1, 70, 64)[0];
    let uneven = stack([a, linalg.scaled_columns(a, 10.0 ** (-0.25 * iota(64) as f64))], dim = 0) to @p : S(0);
    let (u, s, v) = linalg.svd(uneven);
    assert(worst(linalg.scaled_columns(u, s) @ transpose(v), uneven) < 1e-12);
    assert(falls(-s) < 1e-12);
    assert(worst(transpose(u) @ u, eye(64, dtype = f64)) < 1e-12 && worst(transpose(v) @ v, eye(64, dtype = f64)) < 1e-12);
}

// Values that come in clusters and are known, of many lines, and what f32 makes of them: nothing is left of nothing.
test "clusters, and f32" {
    let n = 150;
    let i = iota(n);
    let near = (i % 5) as f64 + 1e-13 * i as f64;
    let steep = 10.0 ** (-0.13 * i as f64);
    let q = linalg.qr(wave(1, n, n)[0])[0];
    let values = stack([near, steep, where(i < 3, 1e6 * (1.0 + i as f64), near)], dim = 0);
    let a = linalg.symmetric(turned_by(q, values, q)) to @p : S(0);
    let (w, v) = linalg.eigh(a);
    assert(wrong(a, w, v) < 1e-13 && worst_of_each(unsqueeze(w), unsqueeze(sort(values) to @p)) / max(values) < 1e-13);
    let (w32, v32) = linalg.eigh(a as f32);
    assert(wrong(a as f32, w32, v32) < 2e-6 && max(falls(w32)) <= 0.0);
    let nothing = zeros([2, 40, 40]) to @p : S(0);
    assert(worst(linalg.eigh(nothing)[0], 0.0) == 0.0 && wrong(nothing, 0.0 * linalg.eigh(nothing)[0], linalg.eigh(nothing)[1]) < 1e-6);
}

fn squares(a) { return sum(finish(linalg.eigh(linalg.symmetric(a))[0] ** 2.0), dim = -1); }
fn all_squares(a) { return sum(squares(a)); }
test "of all lines at once, in loops, and derivatives" {
    let a = wave(5, 34, 34) to @p : S(0);
    let even = linalg.symmetric(a);
    let known = sum(sum(even * even, dim = -1), dim = -1);
    assert(worst(vmap(squares)(a), known) < 1e-11 && worst(squares(a), known) < 1e-11);
    assert(worst(grad(all_squares, wrt = "a")(a[0] to B), 2.0 * (even[0] to B)) < 1e-11);
    var sums = 0.0 * known;
    for i in 0..3 { sums = sums + squares((1.0 + i as f64) * a); }
    assert(worst(sums, 14.0 * known) < 1e-10);
    let (w, v) = linalg.eigh((a[0] to B)[0..1, 0..1]);
    assert(worst(w, even[0, 0, 0..1] to B) < 1e-15 && abs(v[0, 0]) == 1.0);
}
