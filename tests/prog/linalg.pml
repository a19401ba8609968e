//% test 2 (1 3 4)
//% only values
//% only derivatives of blocks
//% only nothing
//% only elements of 16 bits
// Matrices in batches, split over ranks, beside numbers computed by another program (NumPy), and derivatives of first and second order
// beside differences. 70 lines are three blocks, 270 are six, of three strips each but the last.
import std.linalg;
place p = ranks(0..4);

// sin(1 + 3 i + 7 j + 2 b + i j).
fn wave(count: int, n: int, m: int) {
    let (b, i, j) = (iota(count) as f64, iota(n) as f64, iota(m) as f64);
    let x[l, r, c] = sin(1.0 + 3.0 * i[r] + 7.0 * j[c] + 2.0 * b[l] + i[r] * j[c]);
    return x;
}
fn batch(n: int, m: int) { return wave(3, n, m) to @p : S(0); }
fn positive(a) { return a @ transpose(a) / (shape(a)[-1] as f64) + eye(shape(a)[-1], dtype = f64); }
fn worst(a, b) { return finish(max(abs(a - b))) to B; }

fn cholesky(a) { return linalg.cholesky(positive(a)); }
fn definite(a) { return linalg.solve(positive(a), cos(a), positive = true); }
fn solve(a) { return linalg.solve(a, cos(a)); }
fn solve_column(a) { return linalg.solve(a, sum(a, dim = -1)); }
fn upper(a) { return linalg.triangular_solve(a + 3.0 * eye(shape(a)[-1], dtype = f64), sin(a), lower = false); }
fn lower(a) { return linalg.triangular_solve(a + 3.0 * eye(shape(a)[-1], dtype = f64), sin(a), transposed = true); }
fn inverse(a) { return linalg.inverse(a); }
fn det(a) { return linalg.det(a); }
fn log_of_det(a) { return linalg.logdet(a)[1]; }
fn lower_factor(a) { return linalg.lu(a)[0]; }
fn upper_factor(a) { return linalg.lu(a)[1]; }
fn q(a) { return linalg.qr(a)[0]; }
fn r(a) { return linalg.qr(a)[1]; }
fn fitted(a) { return linalg.least_squares(a, cos(a)); }
fn values(a) { return linalg.eigh(linalg.symmetric(a))[0]; }
fn vectors(a) { return linalg.eigh(linalg.symmetric(a))[1]; }

fn all_cholesky(a) { return sum(sin(cholesky(a))) to B; }
fn all_solve(a) { return sum(sin(solve(a))) to B; }
fn all_beside(a, b) { return sum(sin(linalg.solve(a, b))) to B; }
fn all_q(a) { return sum(sin(q(a))) to B; }
fn all_vectors(a) { return sum(vectors(a) ** 3.0) to B; }
fn spread(a) { return a + diag(iota(4) as f64 + 2.0); }

test "values" {
    let a = batch(4, 4);
    let s = a @ transpose(a) + eye(4, dtype = f64);
    let l = linalg.cholesky(s);
    assert_close(l[0, 3] to B, [-0.115481003183, -0.500291066229, -0.129097872445, 1.838623082182], rtol = 1e-11);
    assert(worst(l, tril(l)) == 0.0 && worst(l @ transpose(l), s) < 1e-14);
    assert_close(linalg.inverse(a)[0, 1] to B, [0.52399379409, -0.060787686457, -0.451959415068, 0.349248520091], rtol = 1e-11);
    assert_close(linalg.solve(a, wave(6, 4, 2)[5] + 0.0 * a[.., .., 0..2])[0, .., 1] to B, [0.552437801141, -1.082688659886, -0.220978077039, 0.110866843155], rtol = 1e-11);
    let (sign, size) = linalg.logdet(a);
    assert_close(linalg.det(a)[0] to B, 2.3397812091212, rtol = 1e-12);
    assert_equal(sign to B, [1.0, -1.0, -1.0]);
    assert_close(size to B, [0.8500574246226219, 0.6777633979591442, -1.0685005216071466], rtol = 1e-12);
    let (q, r) = linalg.qr(a[.., .., 0..3]);
    assert_close(q[0, 1] to B, [-0.534018075677, -0.230349441473, 0.654353839072], rtol = 1e-11);
    assert_close(r[0, 1] to B, [0.0, 1.425114570921, -0.557751864319], rtol = 1e-11);
    let (w, v) = linalg.eigh(s);
    assert_close(w[0] to B, [1.639596202529, 2.104915696035, 3.472420798281, 4.133235869718], rtol = 1e-11);
    assert_close((v * v)[0, 0] to B, [0.011080150839, 0.261574516458, 0.703968989743, 0.02337634296], rtol = 1e-10);
    for x in [a, a as f32] { assert_equal(linalg.eigh(x)[0], linalg.eigh(linalg.symmetric(x))[0]); }
    let fitted = linalg.least_squares(a[.., .., 0..3], wave(6, 4, 3)[5, .., 0] + 0.0 * a[.., .., 0]);
    assert_close(fitted[0] to B, [-1.403531021009, 0.171943311382, 0.014273466578], rtol = 1e-11);
    let (lines, columns, order) = linalg.lu(a);
    assert(worst(lines @ columns, linalg.lines_at(a, order)) < 1e-14 && worst(lines, 0.0) == 1.0);
}

test "blocks" {
    let a = batch(70, 70);
    let s = positive(a);
    let x = linalg.solve(a, batch(70, 2));
    assert(worst(a @ x, batch(70, 2)) < 1e-12);
    assert(worst(s @ linalg.solve(s, x, positive = true), x) < 1e-12);
    let l = linalg.cholesky(s);
    assert(worst(l @ transpose(l), s) < 1e-14 && worst(l, tril(l)) == 0.0);
    assert(worst(l @ linalg.triangular_solve(l, x), x) < 1e-12);
    assert(worst(transpose(l) @ linalg.triangular_solve(l, x, transposed = true), x) < 1e-12);
    let u = transpose(l);
    assert(worst(u @ linalg.triangular_solve(u, x, lower = false), x) < 1e-12);
    assert(worst((tril(s, diagonal = -1) + eye(70, dtype = f64)) @ linalg.triangular_solve(s, x, unit = true), x) < 1e-12);
    let (lines, columns, order) = linalg.lu(a);
    assert(worst(lines @ columns, linalg.lines_at(a, order)) < 1e-13 && worst(lines, 0.0) <= 1.0);
    assert(worst(lines, tril(lines)) == 0.0 && worst(columns, triu(columns)) == 0.0);
    assert(worst(a @ linalg.inverse(a), eye(70, dtype = f64)) < 1e-12);
    let wide = batch(70, 140);
    assert(worst(a @ linalg.solve(a, wide), wide) < 1e-12);
    let one = a[0] to B;
    assert(worst(one @ linalg.solve(one, wide), wide) < 1e-12);
    for m in [40, 70] {
        for t in [a[.., .., 0..m], a[.., 0..m, ..]] {
            let (q, r) = linalg.qr(t);
            assert(worst(q @ r, t) < 1e-13 && worst(r, triu(r)) == 0.0 && (min(diagonal(r[.., 0..m, 0..m])) to B) >= 0.0);
            assert(worst(transpose(q) @ q, eye(m, dtype = f64)) < 1e-13);
        }
    }
    assert_close(linalg.logdet(a)[1][0] to B, 89.25445253351192, rtol = 1e-12);
    let (w, v) = linalg.eigh(s);
    let ends = w[0] to B;
    assert_close(ends[0], 1.000060352143486, rtol = 1e-12);
    assert_close(ends[69], 2.426109222305928, rtol = 1e-12);
    assert(worst(s @ v, linalg.scaled_columns(v, w)) < 1e-12 && worst(transpose(v) @ v, eye(70, dtype = f64)) < 1e-12);
}

test "strips" {
    let a = batch(270, 270);
    let b = batch(270, 2);
    let (lines, columns, order) = linalg.lu(a);
    assert(worst(lines @ columns, linalg.lines_at(a, order)) < 1e-12 && worst(lines, 0.0) == 1.0);
    assert(worst(lines, tril(lines)) == 0.0 && worst(columns, triu(columns)) == 0.0);
    let x = linalg.solve(a, b);
    assert(worst(a @ x, b) < 1e-11);
    let g = grad(all_beside)(a, b)[0];
    let back = linalg.solve(transpose(a), cos(x));
    assert(worst(g, 0.0 - back @ transpose(x)) < 1e-8 * worst(g, 0.0));
}

// NaN where nobody is to look.
test "what is beside a triangle" {
    for n in [5, 48, 70, 300] {
        let (i, j) = (iota(n), iota(n));
        let a = batch(n, n) / (n as f64) + 2.0 * eye(n, dtype = f64);
        let b = batch(n, 2);
        for lower in [true, false] {
            let out = where(if lower => unsqueeze(i) < unsqueeze(j, dim = 0) else unsqueeze(i) > unsqueeze(j, dim = 0), ln(-1.0), a);
            let side = if lower => tril(a) else triu(a);
            assert(worst(side @ linalg.triangular_solve(out, b, lower = lower), b) < 1e-11);
            assert(worst(transpose(side) @ linalg.triangular_solve(out, b, lower = lower, transposed = true), b) < 1e-11);
        }
    }
}

// Pivots are the largest, and the first of those.
test "the order of lines" {
    let a = [[0.0, 1.0, 2.0], [-4.0, 8.0, 0.0], [4.0, 0.0, 4.0]] as f64 to @p : B;
    let (l, u, order) = linalg.lu(a);
    assert_equal(order, [1, 2, 0]);
    assert_equal(l, [[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.125, 1.0]] as f64);
    assert_equal(u, [[-4.0, 8.0, 0.0], [0.0, 8.0, 4.0], [0.0, 0.0, 1.5]] as f64);
    let (m, v, same) = linalg.lu([[0.0, 0.0], [0.0, 3.0]] as f64);
    assert_equal(same, [0, 1]);
    assert_equal(v, [[0.0, 0.0], [0.0, 3.0]] as f64);
    assert_equal(linalg.lu([[-2.0]] as f32)[1], [[-2.0]] as f32);
    for n in [31, 33, 65] {
        let (lines, columns, places) = linalg.lu(batch(n, n) as f32);
        assert(worst(lines @ columns, linalg.lines_at(batch(n, n) as f32, places)) < 1e-5 && worst(lines, 0.0) == 1.0);
    }
}

test "lines that are split" {
    let a = wave(1, 40, 4)[0] to @p : S(0);
    let l = linalg.cholesky(transpose(a) @ a to B);
    let (q, r) = linalg.qr(a to B);
    assert(worst(a @ transpose(linalg.inverse(l)), q) < 1e-13 && worst(transpose(l), r) < 1e-13);
}

test "what is singular, or no batch" {
    let a = [[1.0, 2.0], [2.0, 4.0]] as f32 to @p : B;
    assert_equal(linalg.det(a), 0.0);
    assert_equal(linalg.logdet(a)[0], 0.0);
    assert(!any(is_finite(linalg.solve(a, [1.0, 1.0] as f32))));
    assert(any(is_nan(linalg.cholesky(-a))));
    let (q, r) = linalg.qr(a);
    assert(worst(q @ r, a) < 1e-6 && worst(transpose(q) @ q, eye(2)) < 1e-6);
    let (w, v) = linalg.eigh(eye(3) * 2.0);
    assert_equal(w, [2.0, 2.0, 2.0]);
    assert_equal(v, eye(3));
    assert_close(linalg.inverse([[4.0]] as f32), [[0.25]]);
    let sides = normal(rng(1), [5, 3, 2]) to @p : S(0);
    let one = (normal(rng(2), [3, 3]) + 3.0 * eye(3)) to @p : B;
    assert(worst(one @ linalg.solve(one, sides), sides) < 1e-5);
    assert(is_nan(linalg.det([[1.0, 2.0], [3.0, ln(-1.0)]] as f32)));
    let many = reshape(normal(rng(3), [24]), [2, 3, 2, 2]) to @p : S(1);
    assert(worst(many @ linalg.inverse(many), eye(2)) < 1e-4);
}

test "derivatives" {
    let a = batch(4, 4);
    for f in [cholesky, definite, solve, solve_column, upper, lower, inverse, det, log_of_det, lower_factor, upper_factor, q, r, fitted, values, vectors] {
        check_gradient(f, spread(a), rtol = 1e-6);
    }
    for f in [q, r] {
        check_gradient(f, a[.., .., 0..3], rtol = 1e-6);
        check_gradient(f, a[.., 0..3, ..], rtol = 1e-6);
    }
}

test "derivatives of derivatives" {
    for f in [all_cholesky, all_solve, all_q, all_vectors] { check_gradient(grad(f), spread(batch(4, 4)), rtol = 1e-6, directions = 1); }
}

test "derivatives of blocks" {
    for f in [cholesky, solve, r] { check_gradient(f, batch(40, 40) + 3.0 * eye(40, dtype = f64), rtol = 1e-5, directions = 1); }
    for f in [lower_factor, upper_factor, log_of_det] {
        check_gradient(f, roll(batch(40, 40) + 30.0 * eye(40, dtype = f64), 7, dim = -2), rtol = 1e-5, directions = 1);
    }
}

// What NumPy makes of no lines or no columns.
test "nothing" {
    let a = batch(0, 0);
    let (l, u, order) = linalg.lu(a);
    let (sign, size) = linalg.logdet(a);
    assert(shape(l) == [3, 0, 0] && shape(u) == [3, 0, 0] && shape(order) == [3, 0]);
    assert_equal(linalg.det(a), [1.0, 1.0, 1.0] as f64);
    assert_equal(sign, [1.0, 1.0, 1.0] as f64);
    assert_equal(size, [0.0, 0.0, 0.0] as f64);
    assert(shape(linalg.solve(a, batch(0, 2))) == [3, 0, 2] && shape(linalg.inverse(a)) == [3, 0, 0] && shape(linalg.cholesky(a)) == [3, 0, 0]);
    let (tall, wide) = (batch(4, 0), batch(0, 4));
    let (q, r) = linalg.qr(tall);
    let (s, v) = linalg.qr(wide);
    assert(shape(q) == [3, 4, 0] && shape(r) == [3, 0, 0] && shape(s) == [3, 0, 0] && shape(v) == [3, 0, 4]);
    let (x, y, z) = linalg.svd(tall);
    assert(shape(x) == [3, 4, 0] && shape(y) == [3, 0] && shape(z) == [3, 0, 0]);
    assert_equal(linalg.pinv(wide), zeros([3, 4, 0], dtype = f64));
    assert(shape(linalg.least_squares(tall, batch(4, 2))) == [3, 0, 2]);
}

// a is whole, and each rank has columns of b.
test "columns of a right side" {
    for n in [4, 70, 150] {
        let a = wave(1, n, n)[0] + 4.0 * eye(n, dtype = f64) to @p;
        let b = wave(2, n, 8)[1] to @p : S(1);
        let x = linalg.solve(a, b);
        assert(worst(a @ x, b) < 1e-10);
        assert_close(x to B, linalg.solve(a, b to B), rtol = 1e-12);
        let (da, db) = grad(beside, wrt = (0, 1))(a, b);
        let (ea, eb) = grad(beside, wrt = (0, 1))(a, b to B);
        assert(worst(finish(da), ea) < 1e-10 && worst(db to B, eb) < 1e-10);
    }
}
fn beside(a, b) { return finish(sum(sin(linalg.solve(a, b)))); }

test "elements of 16 bits" {
    let a = normal(rng(61), [3, 20, 20], dtype = f64) + 5.0 * eye(20, dtype = f64);
    let b = normal(rng(62), [3, 20], dtype = f64);
    let (h, c) = (a as bf16 to @p : S(0), b as bf16 to @p : S(0));
    assert_close(linalg.solve(h, c) as f64 to B, linalg.solve(h as f64 to B, c as f64 to B), rtol = 0.1, atol = 0.05);
    let (l, u, order) = linalg.lu(h);
    let (m, v, other) = linalg.lu(h as f32 to B);
    assert_equal(order to B, other);
    assert_equal(l to B, m as bf16);
    assert_equal(u to B, v as bf16);
    assert_close(linalg.logdet(a as f16 to @p : S(0))[1] as f64 to B, linalg.logdet(a)[1], rtol = 0.01);
    assert_close(linalg.det([[1.0, 2.0], [2.0, 8.0]] as f16), 4.0 as f16);
    let wide = normal(rng(63), [300, 300]) + 30.0 * eye(300);            // more lines than a bf16 counts
    assert_equal(linalg.lu(roll(wide, 1, dim = 0) as bf16)[2], linalg.lu(roll(wide, 1, dim = 0) as bf16 as f32)[2]);
}
