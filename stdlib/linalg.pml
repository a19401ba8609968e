// linalg.pml — matrices: systems of equations, factors, eigenvalues.
//
// Matrices are the last two dimensions, in front of which may stand batches, split as one likes; a matrix itself lies whole on its rank.
// Eigenvectors and factors l u come from the runtime; all else is made of loops and products of blocks of BLOCK lines. Everything has derivatives of
// every order, most by rules (`custom_jvp`), in the functions `change_of_…`. What has no answer, such as the inverse of a singular matrix, is not a number or infinite.
//
// The examples stand in `main` of a program that begins with
//
//     import std.linalg;

const BLOCK : int = 32;

// How many lines a block of n has: there are at most 16, which are compiled one by one.
fn block_of(n: int) { return max(BLOCK, floor_div(n + 15, 16)); }

op line_times(a[.., k], x[.., k, m]) -> [.., m] = sum[k] a * x;
op times_line(a[.., i, k], x[.., k]) -> [.., i] = sum[k] a * x;
op by_lines(a[.., i], x[.., j]) -> [.., i, j] = a * x;
op scaled_lines(a[.., i, j], x[.., i]) -> [.., i, j] = a * x;
op scaled_columns(a[.., i, j], x[.., j]) -> [.., i, j] = a * x;
op lines_at(a[.., v, c], i[.., r]: int) -> [.., r, c] = a[.., i, c];

op or_one(a[..]) -> [..] = if a == 0 => 1 else a;
op per_matrix(a[.., i, j], x[..]) -> [.., i, j] = a * x;
op per_line(a[.., i], x[..]) -> [.., i] = a * x;
op side_of_0(a[..], dtype: dtype) -> [..] = (if a < 0 => -1 else 1) as dtype;

// Zeros, ones on the diagonal alone, and numbers of elements, where a is.
op blank(a[..], dtype: dtype) -> [..] = (if a == a => 0 else 0) as dtype;
op identity(a[.., i, j], dtype: dtype) -> [.., i, j] = (if a == a && i == j => 1 else if i == j => 1 else 0) as dtype;
op numbers(a[.., i]) -> [.., i] = (if a == a => i else i) as i32;
fn none_of(a) { return blank(a, a.dtype); }

// The power of 2 below the largest element of a matrix of f64, and that matrix divided by it, which has the same bits: squares stay within what f64 holds.
op power_below(a[..]) -> [..] = 2 ** max(-1000, min(1000, floor(log(a) * 1.4426950408889634)));
fn size_and_rest(a) {
    let size = stop_gradient(power_below(finish(max(max(abs(a), dim = -1), dim = -1))));
    return (size, per_matrix(a, 1.0 / size));
}
fn eye_of(a) { return identity(a, a.dtype); }

// ---- triangles

// A line of x a turn.
fn substituted(a, b, lower: bool, unit: bool) {
    let (n, m) = (shape(b)[-2], shape(b)[-1]);
    var x = none_of(b);
    for k in 0..n {
        let i = if lower => k else n - 1 - k;
        let r = b[.., i, 0..m] - line_times(a[.., i, 0..n], x);
        x[.., i, 0..m] = if unit => r else div_along(r, a[.., i, i]);
    }
    return x;
}

// Where n lines, more than one block, are halved: between blocks.
fn half_of(n: int, size: int) { return size * floor_div(floor_div(n + size - 1, size) + 1, 2); }

// Lines in strips of so many.
const STRIP : int = 16;

// Without a diagonal for which ones stand: a sum of the other terms must not be rounded to a part of what does not belong to it (`--reproducible`).
fn side_of(a, lower: bool, unit: bool) {
    let apart = if unit => 1 else 0;
    return if lower => tril(a, diagonal = -apart) else triu(a, diagonal = apart);
}

// The blocks of STRIP lines on the diagonal.
op on_diagonal(a[.., r, c], blocks: int, i: int, j: int, step: int) -> [.., blocks, i, j] = a[.., blocks * step + i, blocks * step + j];
fn inverses_on_diagonal(a, lower: bool, unit: bool) {
    let blocks = side_of(on_diagonal(a, floor_div(shape(a)[-1], STRIP), STRIP, STRIP, STRIP), lower, unit);
    return substituted(blocks, eye_of(blocks), lower, unit);
}

// The inverse of a triangle, beside which is not looked: from those of the blocks on its diagonal, made together, a line of each a turn, by products.
fn inverse_of_triangle(a, lower: bool, unit: bool) {
    let n = shape(a)[-1];
    if n <= STRIP || n % STRIP != 0 { return substituted(side_of(a, lower, unit), eye_of(a), lower, unit); }
    return inverse_by_halves(a, inverses_on_diagonal(a, lower, unit), 0, floor_div(n, STRIP), lower);
}
fn inverse_by_halves(a, inverses, first: int, last: int, lower: bool) {
    if last == first + 1 { return inverses[.., first, 0..STRIP, 0..STRIP]; }
    let half = floor_div(first + last + 1, 2);
    let (top, bottom) = (inverse_by_halves(a, inverses, first, half, lower), inverse_by_halves(a, inverses, half, last, lower));
    let (start, cut, stop) = (STRIP * first, STRIP * half, STRIP * last);
    if lower {
        let beside = -(bottom @ (a[.., cut..stop, start..cut] @ top));
        return concat([pad(top, after = stop - cut), concat([beside, bottom])], dim = -2);
    }
    let beside = -(top @ (a[.., start..cut, cut..stop] @ bottom));
    return concat([concat([top, beside]), pad(bottom, before = cut - start)], dim = -2);
}

// Of many lines by halves, down to blocks, which are multiplied by the inverses of their triangles: of the strips on the diagonal all together, where
// lines are whole strips. A line a turn where they are not.
fn solved(a, b, lower: bool, unit: bool) { return custom_jvp(solved_once, change_of_solved)(a, b, lower, unit); }
fn change_of_solved(a, b, lower, unit, x, da, db, dlower, dunit) {
    return solved(a, db - finish(side_of(da, lower, unit) @ x), lower, unit);
}
fn solved_once(a, b, lower: bool, unit: bool) {
    let n = shape(b)[-2];
    if n <= STRIP || n % STRIP != 0 { return solved_by_halves(a, b, none, 0, n, lower, unit, block_of(n)); }
    let size = STRIP * floor_div(block_of(n) + STRIP - 1, STRIP);
    return solved_by_halves(a, b, inverses_on_diagonal(a, lower, unit), 0, n, lower, unit, size);
}
// The lines start..stop of x, for as many of b.
fn solved_by_halves(a, b, inverses, start: int, stop: int, lower: bool, unit: bool, size: int) {
    let (n, m) = (stop - start, shape(b)[-1]);
    if n <= size && inverses == none {
        let block = a[.., start..stop, start..stop];
        return if m > n => inverse_of_triangle(block, lower, unit) @ b else substituted(side_of(block, lower, unit), b, lower, unit);
    }
    if n <= size { return inverse_by_halves(a, inverses, floor_div(start, STRIP), floor_div(stop, STRIP), lower) @ b; }
    let cut = start + half_of(n, size);
    let (top, bottom) = (b[.., 0..cut - start, 0..m], b[.., cut - start..n, 0..m]);
    if lower {
        let x = solved_by_halves(a, top, inverses, start, cut, lower, unit, size);
        let rest = bottom - a[.., cut..stop, start..cut] @ x;
        return concat([x, solved_by_halves(a, rest, inverses, cut, stop, lower, unit, size)], dim = -2);
    }
    let y = solved_by_halves(a, bottom, inverses, cut, stop, lower, unit, size);
    let rest = top - a[.., start..cut, cut..stop] @ y;
    return concat([solved_by_halves(a, rest, inverses, start, cut, lower, unit, size), y], dim = -2);
}

// b as columns: what has a dimension less than a is one.
fn as_columns(a, b) {
    if rank(shape(b)) == rank(shape(a)) - 1 { return one_column(a, b); }
    return if rank(shape(b)) == rank(shape(a)) => columns(a, b) else b;
}
fn one_column[n, m, t: float](a: t[.., n, m], b: t[.., n]) { return unsqueeze(b); }
fn columns[n, m, k, t: float](a: t[.., n, m], b: t[.., n, k]) { return b; }

fn like_side(a, b, x) { return if rank(shape(b)) == rank(shape(a)) - 1 => element_along(x, at = 0) else x; }

/// x, where a x = b and a[.., n, n] is a triangle, lower or upper, whose other side is not looked at: b[.., n, m] or, with a dimension less
/// than a, [.., n] -> x of the same shape. transposed: a^T x = b. unit: ones stand for the diagonal.
///     let a = [[2.0, 0.0], [1.0, 4.0]] as f32;
///     print(linalg.triangular_solve(a, [2.0, 9.0] as f32));    // [1, 2]
///     print(linalg.triangular_solve(a, [[2.0], [4.0]] as f32, transposed = true));
///     // [[0.5],
///     //  [1]]
fn triangular_solve[n, t: float](a: t[.., n, n], b, lower: bool = true, transposed: bool = false, unit: bool = false) {
    let y = as_columns(a, b);
    if transposed { return like_side(a, b, solved(transpose(a), y, !lower, unit)); }
    return like_side(a, b, solved(a, y, lower, unit));
}

// ---- positive definite matrices

// A column a turn; what stands above the diagonal is not used.
// The lines below a block, as a column of it is finished, are divided by what becomes of it: those of the identity become the inverse's, transposed.
fn cholesky_block(a, below) {
    let n = shape(a)[-1];
    let all = if below == none => a else concat([a, below], dim = -2);
    let m = shape(all)[-2];
    var l = none_of(all);
    for j in 0..n {
        let s = all[.., 0..m, j] - times_line(l, l[.., j, 0..n]);
        l[.., 0..m, j] = div_along(s, sqrt(s[.., j]));
    }
    return (tril(l[.., 0..n, 0..n]), l[.., n..m, 0..n]);
}

// The x with x l^T = b, l a lower triangle, by the inverses of the blocks on its diagonal, transposed.
fn before_triangle(l, inverses, b, size: int) {
    let (m, n) = (shape(b)[-2], shape(b)[-1]);
    if n <= size { return b @ inverses[0]; }
    let h = half_of(n, size);
    let blocks = floor_div(h, size);
    let x = before_triangle(l[.., 0..h, 0..h], inverses[0..blocks], b[.., 0..m, 0..h], size);
    let rest = b[.., 0..m, h..n] - x @ transpose(l[.., h..n, 0..h]);
    return concat([x, before_triangle(l[.., h..n, h..n], inverses[blocks..], rest, size)]);
}

// The triangle, and such inverses if they are wanted.
fn cholesky_by_halves(a, size: int, inverts: bool) {
    let n = shape(a)[-1];
    if n <= size {
        let (l, inverse) = cholesky_block(a, if inverts => eye_of(a) else none);
        return (l, if inverts => [inverse] else []);
    }
    let h = half_of(n, size);
    let (l, first) = cholesky_by_halves(a[.., 0..h, 0..h], size, true);
    let below = before_triangle(l, first, a[.., h..n, 0..h], size);
    let (rest, last) = cholesky_by_halves(a[.., h..n, h..n] - below @ transpose(below), size, inverts);
    return (concat([concat([l, below], dim = -2), pad(rest, before = h, dim = -2)]), first + last);
}

/// The lower triangle l with l l^T = a, of a symmetric and positive definite a[.., n, n], whose lower triangle alone is looked at, and has the
/// derivative. Not a number from the first line on that is not positive definite.
///     print(linalg.cholesky([[4.0, 2.0], [2.0, 5.0]] as f32));
///     // [[2, 0],
///     //  [1, 2]]
fn cholesky[n, t: float](a: t[.., n, n]) {
    let size = if n <= 2 * BLOCK => 8 else block_of(n);    // a turn goes over all columns of its block, of all matrices of a batch
    let (l, inverses) = cholesky_by_halves(a, size, false);
    return l;
}

/// x, where l l^T x = b: l is what `cholesky` gives, b[.., n, m] or, with a dimension less than l, [.., n].
///     let l = linalg.cholesky([[4.0, 2.0], [2.0, 5.0]] as f32);
///     print(linalg.cholesky_solve(l, [8.0, 12.0] as f32));    // [1, 2]
fn cholesky_solve[n, t: float](l: t[.., n, n], b) {
    let y = solved(l, as_columns(l, b), true, false);
    return like_side(l, b, solved(transpose(l), y, false, false));
}

// ---- any square matrices

op eliminated(w[.., i, c], f[.., i], line[.., c], j[]: int) -> [.., i, c]
    = if i > j && c == j => f else if i > j && c > j => w - f * line else w;

// What l and u are for derivatives, of lines in the order of their pivots: a column a turn, what is beside a block of columns at once.
fn reduced(a, size: int) {
    let n = shape(a)[-1];
    let c = min(size, n);
    var w = a[.., 0..n, 0..c];
    for j in 0..c {
        let line = w[.., j, 0..c];
        w = eliminated(w, div_along(w[.., 0..n, j], or_one(line[.., j])), line, j);
    }
    if c == n { return w; }
    let (own, below) = (w[.., 0..c, 0..c], w[.., c..n, 0..c]);
    let top = solved(own, a[.., 0..c, c..n], true, true);
    let rest = reduced(a[.., c..n, c..n] - below @ top, size);
    return concat([concat([own, top]), concat([below, rest])], dim = -2);
}

// (w, order): u on and right of the diagonal of w, l left of it; line i of l u is line order[i] of a.
fn factored(a) {
    let n = shape(a)[-1];
    let found = pivoted_lu(if a.dtype == f64 => a else a as f32);
    let order = found[.., 0, 0..n] as i32;
    return (as_if(found[.., 1..n + 1, 0..n] as a.dtype, reduced(lines_at(a, order), block_of(n))), order);
}

op lower_of(w[.., i, j]) -> [.., i, j] = if i > j => w else if i == j => 1 else 0;

/// The factors of a[.., n, n] with its lines in the order of the largest pivots: (l, u, order), l with ones on the diagonal, u an upper triangle,
/// order i32[.., n]; line i of l u is line order[i] of a. Of equal pivots the first one is taken; of a singular matrix u has a 0 on its diagonal.
///     let (l, u, order) = linalg.lu([[1.0, 2.0], [2.0, 8.0]] as f32);
///     print(l, u, order);
///     // [[1, 0],
///     //  [0.5, 1]] [[2, 8],
///     //  [0, -2]] [1, 0]
fn lu[n, t: float](a: t[.., n, n]) {
    if n == 0 { return (a, a, numbers(diagonal(a))); }
    let (w, order) = factored(a);
    return (lower_of(w), triu(w), order);
}

/// x, where a x = b: a[.., n, n], b[.., n, m] or, with a dimension less than a, [.., n]. positive: a is symmetric and positive definite, which
/// takes half as long. Infinite or not a number where a is singular.
///     let a = [[1.0, 2.0], [2.0, 8.0]] as f32;
///     print(linalg.solve(a, [5.0, 18.0] as f32), linalg.solve(a, [5.0, 18.0] as f32, positive = true));    // [1, 2] [1, 2]
fn solve[n, t: float](a: t[.., n, n], b, positive: bool = false) {
    if n == 0 { return b; }
    if positive { return cholesky_solve(cholesky(a), b); }
    return like_side(a, b, solution(a, as_columns(a, b)));
}

// Of columns b.
fn solution(a, b) { return custom_jvp(by_factors, change_of_solution)(a, b); }
fn change_of_solution(a, b, x, da, db) { return solution(a, db - finish(da @ x)); }
fn by_factors(a, b) {
    let (w, order) = factored(a);
    return solved_once(w, solved_once(w, lines_at(b, order), true, true), false, false);
}
fn inverted(a) { return by_factors(a, eye_of(a)); }
fn change_of_inverted(a, x, da) { return -finish(x @ finish(da @ x)); }

/// The inverse of a[.., n, n]. `solve` takes less time and has fewer rounding errors than a product with it.
///     print(linalg.inverse([[1.0, 2.0], [2.0, 8.0]] as f32));
///     // [[2, -0.5],
///     //  [-0.5, 0.25]]
fn inverse[n, t: float](a: t[.., n, n], positive: bool = false) {
    return if positive || n == 0 => solve(a, eye_of(a), positive = positive) else custom_jvp(inverted, change_of_inverted)(a);
}

op inversions(a[.., i]: int, b[.., j]: int) -> [..] = sum[i, j] (i < j && a > b);

// 1 or -1: how often two lines were exchanged.
fn sign_of[t: float](order, pivots: t[..]) {
    return (1 - 2 * (finish(inversions(order, order)) % 2)) as t * finish(prod_along(sign(pivots)));
}

/// Determinants: a[.., n, n] -> [..], 1 of no lines. Of many lines they are soon too large or small for a number, their logarithms (`logdet`) are not.
///     print(linalg.det([[1.0, 2.0], [2.0, 8.0]] as f32));    // 4
fn det[n, t: float](a: t[.., n, n]) {
    if n == 0 { return prod_along(diagonal(a)); }
    let (w, order) = factored(a);
    let pivots = diagonal(w);
    return sign_of(order, pivots) * prod_along(abs(pivots));
}

/// Signs (1, -1 or 0) and logarithms of the absolute values of determinants: a[.., n, n] -> ([..], [..]).
///     let (sign, log_of) = linalg.logdet([[0.0, 2.0], [2.0, 8.0]] as f32);
///     print(sign, log_of);    // -1 1.38629
fn logdet[n, t: float](a: t[.., n, n]) {
    if n == 0 { return (prod_along(diagonal(a)), sum_along(diagonal(a))); }
    return custom_jvp(log_of_pivots, change_of_log)(a);
}
fn log_of_pivots(a) {
    let (w, order) = factored(a);
    let pivots = diagonal(w);
    return (sign_of(order, pivots), sum_along(ln(abs(pivots))));
}
op trace_of_product(a[.., i, j], b[.., j, i]) -> [..] = sum[i, j] a * b;
fn change_of_log(a, found, da) { return (0.0, finish(trace_of_product(inverse(a), da))); }

// ---- least squares

op from_line(a[.., i], j[]: int) -> [.., i] = if i >= j => a else 0;
op at_line(a[..], like[.., i], j[]: int) -> [.., i] = if i == j && like == like => a else if i == j => a else 0;

// Reflections that make a triangle of a[.., r, c], r >= c, a column a turn: what becomes of a, and the vectors, which are orthogonal to the mirrors.
fn reflected(a) {
    let (r, c) = (shape(a)[-2], shape(a)[-1]);
    var w = a;
    var v = none_of(a);
    for j in 0..c {
        let column = from_line(w[.., 0..r, j], j);
        let most = stop_gradient(or_one(finish(max_along(abs(column)))));
        let x = div_along(column, most);                   // mirrors of one size, however small what they turn
        let size = norm(x, dim = -1);
        let head = x[.., j];
        let u = x + at_line(where(head >= 0.0, size, -size), x, j);
        let square = finish(sum_along(u * u));
        let by = div_along(line_times(u, w), 0.5 * or_one(square));
        w = w - by_lines(u, by);
        v[.., 0..r, j] = u;
    }
    return (w, v);
}

op of_reflections(s[.., i, j]) -> [.., i, j] = if i < j => s else if i == j => 0.5 * s else 0;

// u, by which I - v u v^T is the product of the reflections (Puglisi, 1992).
fn joined(v) {
    let s = of_reflections(finish(transpose(v) @ v));
    let inverse = s + diag(or_one(diagonal(s)) - diagonal(s));
    return inverse_of_triangle(inverse, false, false);
}

// What reflections leave of a[.., n, m], k of whose columns they make a triangle of: lines [.., k, m] of it, and the reflections block by block, each (v, u) of the lines
// from its first column on.
fn triangle_by_reflections(a, k: int) {
    let (n, m) = (shape(a)[-2], shape(a)[-1]);
    let size = block_of(k);
    let count = floor_div(k + size - 1, size);
    var rest = a;
    var (lines, mirrors) = ([], []);
    for i in 0..count {
        let first = i * size;
        let c = min(size, k - first);
        let (w, v) = reflected(rest[.., 0..n - first, 0..c]);
        let u = joined(v);
        mirrors = mirrors + [(v, u)];
        var line = triu(w[.., 0..c, 0..c]);
        if c < m - first {
            let moved = mirrored(v, transpose(u), rest[.., 0..n - first, c..m - first]);
            line = concat([line, moved[.., 0..c, 0..m - first - c]]);
            if i < count - 1 { rest = moved[.., c..n - first, 0..m - first - c]; }
        }
        lines = lines + [pad(line, before = first)];
    }
    return (concat(lines, dim = -2), mirrors);
}
fn mirrored(v, u, x) { return x - v @ (u @ (transpose(v) @ x)); }

/// (q, r) with q r = a, of a[.., n, m]: q[.., n, k] has orthonormal columns, r[.., k, m] is an upper triangle with nothing negative on its diagonal,
/// where k is the smaller of n and m. By reflections (Householder, 1958), a block of columns at once. Of lines that are split, and columns far from
/// dependent: `let l = linalg.cholesky(transpose(a) @ a to B);`, then q is a @ transpose(linalg.inverse(l)), r is transpose(l).
///     let (q, r) = linalg.qr([[3.0, 5.0], [4.0, 0.0]] as f32);
///     print(q, r);
///     // [[0.6, 0.8],
///     //  [0.8, -0.6]] [[5, 3],
///     //  [0, 4]]
fn qr[n, m, t: float](a: t[.., n, m]) {
    let k = min(n, m);
    if k == 0 { return (a[.., 0..n, 0..0], a[.., 0..0, 0..m]); }
    return custom_jvp(by_reflections, change_of_qr)(a);
}
fn by_reflections(a) {
    let k = min(shape(a)[-2], shape(a)[-1]);
    let (r, mirrors) = triangle_by_reflections(a, k);
    var q = none;
    for back in 0..length(mirrors) {
        let (v, u) = mirrors[length(mirrors) - 1 - back];
        let e = eye_of(v);
        q = mirrored(v, u, if q == none => e else concat([e, pad(q, before = shape(v)[-1], dim = -2)]));
    }
    let up = side_of_0(diagonal(r[.., 0..k, 0..k]), r.dtype);
    return (scaled_columns(q, up), scaled_lines(r, up));
}
op turning(c[.., i, j], d[.., j, i]) -> [.., i, j] = if i > j => c else if i < j => -d else 0;
fn change_of_qr(a, found, da) {
    let (q, r) = found;
    let (n, k) = (shape(q)[-2], shape(q)[-1]);
    let square_of_r = r[.., 0..k, 0..k];
    let z = transpose(solved(transpose(square_of_r + diag(or_one(diagonal(square_of_r)) - diagonal(square_of_r))), transpose(da[.., 0..n, 0..k]), true, false));
    let c = finish(transpose(q) @ z);
    let turn = turning(c, c);
    let dq = if n == k => finish(q @ turn) else z + finish(q @ (turn - c));
    return (dq, triu(finish(transpose(q) @ da) - finish(turn @ r)));
}

/// The x for which |a x - b| is least: a[.., n, m] with n >= m and independent columns, b[.., n, k] or, with a dimension less than a, [.., n]. By reflections, of which
/// no q is made.
///     let a = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]] as f32;
///     print(linalg.least_squares(a, [1.0, 2.0, 4.0] as f32));    // [0.833333, 1.5]
fn least_squares[n, m, t: float](a: t[.., n, m], b) {
    assert(n >= m, message = "`least_squares` takes at least as many lines as columns");
    var rest = as_columns(a, b);
    let k = shape(rest)[-1];
    if m == 0 { return like_side(a, b, rest[.., 0..0, 0..k]); }
    let (r, mirrors) = triangle_by_reflections(a, m);
    var turned = [];
    for (v, u) in mirrors {
        let (lines, c) = (shape(v)[-2], shape(v)[-1]);
        let moved = mirrored(v, transpose(u), rest);
        turned = turned + [moved[.., 0..c, 0..k]];
        rest = moved[.., c..lines, 0..k];
    }
    return like_side(a, b, solved(r, concat(turned, dim = -2), false, false));
}

// ---- eigenvalues

// The eigenvalues of a symmetric a of f32 or f64, rising, less than n 1e-15 of the largest away but for rounding, and their vectors, in columns.
fn eigenvectors(a) {
    let n = shape(a)[-1];
    if n == 0 { return (diagonal(a), a); }
    let found = symmetric_eigen(a);
    return (found[.., 0, 0..n], transpose(found[.., 1..n + 1, 0..n]));
}

op per_gap(s[.., i, j], w[.., i], u[.., j], limit[..]) -> [.., i, j]
    = if abs(u - w) <= limit => 0 else s / (if abs(u - w) <= limit => 1 else u - w);

// Values that differ by less are one for the derivatives of their vectors, which have none along each other.
fn nothing_beside(w) { return stop_gradient(1e-8 * max(abs(w), dim = -1)); }

fn symmetric(a) { return 0.5 * (a + transpose(a)); }

// The eigenvalues of a that belong to vectors x, which err by the square of what these do (Rayleigh).
fn quotients(a, x) { return finish(sum(x * finish(a @ x), dim = -2)); }

fn eigen(a) {
    if a.dtype != f64 { return eigenvectors(a); }
    let (size, b) = size_and_rest(a);
    let x = eigenvectors(b)[1];
    return (per_line(quotients(b, x), size), x);
}
fn change_of_eigen(a, found, da) {
    let (w, v) = found;
    let s = finish(transpose(v) @ finish(da @ v));
    return (diagonal(s), finish(v @ per_gap(s, w, w, nothing_beside(w))));
}

/// (w, v) with a v = v diag(w), of a symmetric a[.., n, n]: eigenvalues w[.., n], rising, and vectors of length 1 in the columns of v[.., n, n]. By
/// reflections that leave a tridiagonal matrix and by halves of that; of what is not symmetric those of (a + a^T) / 2. Values are found in f64 whatever a is, vectors in f32 or f64. Vectors
/// whose eigenvalues differ by less than 1e-8 of the largest have no derivative along each other.
///     let (w, v) = linalg.eigh([[2.0, 1.0], [1.0, 2.0]] as f32);
///     print(w, v * v);
///     // [1, 3] [[0.5, 0.5],
///     //  [0.5, 0.5]]
fn eigh[n, t: float](a: t[.., n, n]) {
    let (w, v) = custom_jvp(eigen, change_of_eigen)(symmetric(if t == f64 => a else a as f32));
    return (w as t, v as t);
}

// ---- singular values

op turned(a[.., i, c], b[.., i, c], cosine[.., i], sine[.., i]) -> [.., i, c] = cosine * a - sine * b;
// The tangent of the angle that brings the element b between a and d on the diagonal to 0 (Rutishauser, 1966).
op tangent(a[..], b[..], d[..], first[..]: bool) -> [..]
    = if b == 0 => 0 else if first => 2 * b / (d - a + where(d < a, -1, 1) * sqrt((d - a) * (d - a) + 4 * b * b))
        else 2 * b / (d - a + where(d <= a, -1, 1) * sqrt((d - a) * (d - a) + 4 * b * b));
op orthogonal_by(g[.., i], d[.., i], e[.., i], all[..]) -> [..] = max[i] (if g == 0 => 0 else g * g / (all * max(d, e)));

op cosines(g[.., i, j], d[.., i], e[.., j]) -> [..] = max[i, j] (if i == j || g == 0 => 0 else abs(g) / sqrt(d) / sqrt(e));
// Of lines whose squares are d and e and whose product is g, turned by t: about, so that a product divided by it is of one size with those of all lines.
op length_after(d[..], g[..], e[..], t[..]) -> [..] = max(1e-150, sqrt(max(1e-16 * d, (d - t * (2 * g - t * e)) / (1 + t * t))));
op products_by(a[.., i, c], b[.., i, c], by[.., i]) -> [.., i] = sum[c] a * b * by;

// How long lines are, and lines of length 1 at most that are as long as each other but for a factor of sqrt(c).
fn lengths(w) {
    let most = or_one(finish(max_along(abs(w))));
    let unit = scaled_lines(w, 1.0 / most);
    return (most * sqrt(finish(sum_along(unit * unit))), unit);
}

// w w^T, on the diagonal and right of it, which is all that eigenvectors are made of.
fn products_of_lines(w) {
    let (n, c) = (shape(w)[-2], shape(w)[-1]);
    if n < 8 * BLOCK { return finish(w @ transpose(w)); }
    let h = floor_div(n, 2);
    let (first, rest) = (w[.., 0..h, 0..c], w[.., h..n, 0..c]);
    let beside = finish(first @ transpose(rest));
    return concat([concat([products_of_lines(first), beside]), pad(products_of_lines(rest), before = h)], dim = -2);
}

// Turns pairs of lines of w until all are orthogonal, and once more (Hestenes, 1958), all at once in pairs, so that in n turns each has
// met each: what becomes of w, and the vectors v with w = v w0, of f64. Nothing is turned if the eigenvectors of w0 w0^T do it, as they do unless some singular values are 1e5 times others: what
// is between two of these lines then is at most 1e-16 of the largest value's square over the larger of theirs, so less than f32 holds, who needs no more.
fn lines_orthogonal(w0, of_f32: bool) {
    let n = shape(w0)[-2];
    let m = n - 1 + n % 2;
    let i = iota(n) as i32;
    let all = or_one(finish(max_along(finish(sum_along(w0 * w0)))));
    let x = transpose(eigenvectors(products_of_lines(w0))[1]);
    let begun = finish(x @ w0);
    if of_f32 { return (begun, x); }
    let unit = lengths(begun)[1];
    let products = finish(unit @ transpose(unit));
    let squares = diagonal(products);
    var (rounds, last, worst) = (0, !(finish(max(finish(cosines(products, squares, squares)))) > 1e-10), 1.0);
    var (w, v) = (where(last, begun, w0), where(last, x, eye_of(products)));
    var size = length_after(square(lengths(w)[0]), none_of(squares), none_of(squares), none_of(squares));
    while rounds < 30 && !last {
        last = !(worst > 1e-16);
        var most = 0.0 * all;
        for r in 0..m {
            let other = (r - i + m) % m;
            let k = where(i == m, r * ((m + 1) / 2) % m, where(other == i, if n % 2 == 0 => m else i, other));
            let mate = take(w, k, dim = -2);
            let of_mate = take(size, k);
            let d = finish(products_by(w, w, 1.0 / (size * size))) * size * size;
            let e = take(d, k);
            let g = where(i == k, 0.0, finish(products_by(w, mate, 1.0 / (size * of_mate))) * size * of_mate);
            most = maximum(most, orthogonal_by(g, d, e, all));
            let t = tangent(d, g, e, i < k);
            let cosine = rsqrt(t * t + 1.0);
            let sine = t * cosine;
            w = turned(w, mate, cosine, sine);
            v = turned(v, take(v, k, dim = -2), cosine, sine);
            size = length_after(d, g, e, t);
        }
        worst = finish(max(most));
        rounds += 1;
    }
    return (w, v);
}

// What is between two columns of length 1 that products of f64 made of eigenvectors is at most so much of the largest value's square over the product of
// theirs: whether that is nothing in f32 for values as large as those at k.
fn is_apart(sizes, k: int) {
    let n = shape(sizes)[-1];
    return finish(min(square(sizes[.., k] / sizes[.., 0]))) >= n * 2e-15 / 1e-7;
}

// Orthonormal columns of u[.., n, m] of f32, which belong to falling singular values and are orthogonal but where these are small: nothing to do, or the last
// columns alone, which are to be nearly orthogonal for that (not of values of about 0), or all of them.
fn orthonormal(u, sizes) {
    let (n, m) = (shape(u)[-2], shape(u)[-1]);
    let k = m - max(BLOCK, floor_div(m, 8));
    if m < 2 * BLOCK { return qr(u)[0]; }
    var q = u;
    if !is_apart(sizes, m - 1) {
        let (first, last) = (u[.., 0..n, 0..k], u[.., 0..n, k..m]);
        let products = finish(transpose(u) @ last);
        let most = finish(max(finish(max_along(finish(max_along(abs(products - eye_of(u)[.., 0..m, k..m])))))));
        if is_apart(sizes, k - 1) && most < 0.1 {
            q = concat([first, qr(last - first @ products[.., 0..k, 0..m - k])[0]]);
        } else {
            q = qr(u)[0];
        }
    }
    return q;
}

// Of a[.., n, m], n >= m: the singular values, the largest first, and orthonormal columns u and v. Of more lines than columns are first made as many.
fn singular_vectors(a, of_f32: bool) {
    if shape(a)[-2] > shape(a)[-1] {
        let (q, r) = qr(a);
        let (s, u, v) = singular_vectors(r, of_f32);
        return (s, q @ u, v);
    }
    let (w, v) = lines_orthogonal(transpose(a), of_f32);
    let at = argsort(lengths(w)[0], descending = true);
    let lines = lines_at(w, at);                           // those of 0 become orthonormal, too
    let vectors = transpose(lines_at(v, at));
    if of_f32 {
        let sizes = sqrt(finish(sum_along(lines * lines)));
        let u = orthonormal(transpose(scaled_lines(lines, 1.0 / or_one(sizes)) as f32), sizes);
        return (sizes, u as f64, vectors);
    }
    let (u, s) = qr(transpose(lines));
    return (diagonal(s), u, vectors);
}

op turn_of_u(t[.., i, j], o[.., j, i], r[.., i, j], z[.., i, j], w[.., i], x[.., j], limit[..]) -> [.., i, j]
    = if abs(x - w) <= limit => 0.5 * r else ((t + x * r) * x + (o + x * z) * w) / (if abs(x - w) <= limit => 1 else (x - w) * (x + w));
op turn_of_v(t[.., i, j], o[.., j, i], r[.., i, j], z[.., i, j], w[.., i], x[.., j], limit[..]) -> [.., i, j]
    = if abs(x - w) <= limit => 0.5 * z else ((t + x * r) * w + (o + x * z) * x) / (if abs(x - w) <= limit => 1 else (x - w) * (x + w));
op per_value(a[.., i, j], w[.., j], limit[..]) -> [.., i, j] = if w <= limit => 0 else a / (if w <= limit => 1 else w);

// Newton's step from almost the singular vectors of a (Ogita, Aishima, 2020).
fn refined_pair(a, u, v) {
    let r = eye_of(transpose(u) @ u) - finish(transpose(u) @ u);
    let z = eye_of(transpose(v) @ v) - finish(transpose(v) @ v);
    let t = finish(transpose(u) @ finish(a @ v));
    let s = diagonal(t) / (1.0 - 0.5 * (diagonal(r) + diagonal(z)));
    let limit = nothing_beside(s);
    return (s, u + finish(u @ turn_of_u(t, t, r, z, s, s, limit)), v + finish(v @ turn_of_v(t, t, r, z, s, s, limit)));
}

op part_of(t[.., i, j], o[.., j, i], w[.., i], x[.., j], limit[..]) -> [.., i, j]
    = if abs(x - w) <= limit => 0 else (t * (x / (if abs(x - w) <= limit => 1 else x + w)) + o * (w / (if abs(x - w) <= limit => 1 else x + w))) / (if abs(x - w) <= limit => 1 else x - w);

// (s, u, v), vectors in columns.
fn singular(a) {
    let (n, m, t) = (shape(a)[-2], shape(a)[-1], a.dtype);
    if n < m {
        let (s, v, u) = singular(transpose(a));
        return (s, u, v);
    }
    let (size, b) = size_and_rest(a as f64);
    let (s, u, v) = singular_vectors(b, t != f64);
    let (values, x, y) = if t == f64 => refined_pair(b, u, v) else (s, u, v);
    return (abs(per_line(values, size)) as t, x as t, y as t);
}
// What of u or v is not in its own columns is beside that of a value about 0 no more than rounding.
fn change_of_singular(a, found, da) {
    let (s, u, v) = found;
    let (n, m) = (shape(a)[-2], shape(a)[-1]);
    let limit = nothing_beside(s);
    let b = finish(da @ v);
    let t = finish(transpose(u) @ b);
    var du = finish(u @ part_of(t, t, s, s, limit));
    var dv = finish(v @ part_of(transpose(t), transpose(t), s, s, limit));
    if n > m { du = du + per_value(b - finish(u @ t), s, limit); }
    if m > n {
        let c = finish(transpose(da) @ u);
        dv = dv + per_value(c - finish(v @ transpose(t)), s, limit);
    }
    return (diagonal(t), du, dv);
}

/// (u, s, v) with a = u diag(s) v^T: of a[.., n, m] the singular values s[.., k], falling, k the smaller of n and m, and orthonormal columns u[.., n, k] and
/// v[.., m, k]. By the eigenvectors of a^T a in f64, of f64 by rotations of pairs of columns where those are not orthogonal enough, and a step of
/// Newton's method. Vectors whose singular values differ by less than 1e-8 of the largest have no derivative along each other.
///     let (u, s, v) = linalg.svd([[3.0, 0.0], [4.0, 5.0]] as f32);
///     print(s, v * v);
///     // [6.7082, 2.23607] [[0.5, 0.5],
///     //  [0.5, 0.5]]
fn svd[n, m, t: float](a: t[.., n, m]) {
    let (s, u, v) = custom_jvp(singular, change_of_singular)(if t == f64 => a else a as f32);
    return (u as t, s as t, v as t);
}

// Of what is f32, in f64: as right as f32 needs it.
fn svd_of_f32(a) {
    if shape(a)[-2] >= shape(a)[-1] {
        let (s, u, v) = singular_vectors(a, true);
        return (s, u, v);
    }
    let (s, v, u) = singular_vectors(transpose(a), true);
    return (s, u, v);
}

op one_per(s[.., k], least[..]) -> [.., k] = if s <= least => 0 else 1 / (if s <= least => 1 else s);

// How the inverse p of a changes with a, along d, as long as the rank stays (Golub, Pereyra, 1973).
fn change_of_inverse(p, a, d) {
    let (ap, pa) = (finish(a @ p), finish(p @ a));
    let (pt, dt) = (transpose(p), transpose(d));
    let inner = finish(p @ finish(d @ p));
    let left = finish(finish(p @ pt) @ finish(dt @ (eye_of(ap) - ap)));
    let right = finish(finish((eye_of(pa) - pa) @ dt) @ finish(pt @ p));
    return left + right - inner;
}

/// The pseudoinverse of a[.., n, m]: [.., m, n], the p for which |a p b - b| and then |p b| is least for every b. Singular values up to `cut` times the
/// largest count as 0. Its derivatives are right as long as the rank stays, whatever the singular values.
///     print(linalg.pinv([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]] as f32));
///     // [[1, 0, 0],
///     //  [0, 0.5, 0]]
fn pinv[n, m, t: float](a: t[.., n, m], cut = 1e-6) {
    return custom_jvp(pseudoinverse, change_of_pseudoinverse)(if t == f64 => a else a as f32, cut) as t;
}
fn pseudoinverse(a, cut) {
    let b = a as f64;
    let (s, u, v) = if a.dtype == f64 => singular(b) else svd_of_f32(b);
    return finish(scaled_columns(v, one_per(s, cut * max(s, dim = -1))) @ transpose(u)) as a.dtype;
}
fn change_of_pseudoinverse(a, cut, p, da, dcut) { return change_of_inverse(p, a, da); }

/// a times itself, n times, of square matrices a[.., m, m]; n = 0: the identity.
///     print(linalg.power([[1.0, 1.0], [0.0, 1.0]] as f32, 5));
///     // [[1, 5],
///     //  [0, 1]]
fn power[m, t: float](a: t[.., m, m], n: int) {
    if n == 0 { return eye_of(a); }
    if n == 1 { return a; }
    let half = power(a, floor_div(n, 2));
    let whole = finish(half @ half);
    return if n % 2 == 0 => whole else finish(whole @ a);
}

op chosen(c[..]: bool, a[.., i, j], b[.., i, j]) -> [.., i, j] = if c => a else b;
op halvings(size[..]) -> [..] = min(max(-floor(-1.4426950408889634 * log(size / 5.371920351148152)), 0), 64) as i32;

/// e to the power of square matrices, sum a^k / k!: a[.., n, n] -> [.., n, n]. By a quotient of polynomials of degree 13, of a halved until it is small, and
/// as many squarings (Higham, The scaling and squaring method for the matrix exponential revisited, 2005).
///     print(linalg.expm([[0.0, 1.0], [0.0, 0.0]] as f32));
///     // [[1, 1],
///     //  [0, 1]]
fn expm[n, t: float](a: t[.., n, n]) {
    if n == 0 { return a; }
    let times = halvings(stop_gradient(finish(max_along(finish(sum_along(abs(a), dim = -2))))));
    let x = per_matrix(a, 2.0 ** -(times as t));
    let x2 = finish(x @ x);
    let x4 = finish(x2 @ x2);
    let x6 = finish(x4 @ x2);
    let one = eye_of(a);
    let odd = finish(x @ (finish(x6 @ (1.5440497506703088e-17 * x6 + 2.529153491597966e-13 * x4 + 6.306022705717595e-10 * x2)) + 5.175983436853002e-07 * x6 + 0.00016304347826086958 * x4 + 0.018333333333333333 * x2 + 0.5 * one));
    let even = finish(x6 @ (2.8101705462199623e-15 * x6 + 1.48377004840414e-11 * x4 + 2.0431513566525008e-08 * x2)) + 1.0351966873706003e-05 * x6 + 0.0019927536231884057 * x4 + 0.12 * x2 + one;
    var y = solve(even - odd, even + odd);
    for i in 0..finish(max(times)) { y = chosen(times > i, finish(y @ y), y); }
    return y;
}
