//% test 2 (1 4)
// Orders, parts and segments of tensors: known values, the same in several layouts, and derivatives against differences.
place all = ranks(0..4);

fn sample(shape: shape) { return normal(rng(7), shape, dtype = f64); }
fn ids() { return [3, 0, 3, 1, 0, 3] as i32; }

fn flipped(x) { return flip(x, dim = 0); }
fn rolled(x) { return roll(x, -2, dim = 0); }
fn differences(x) { return diff(x, dim = 1); }
fn products(x) { return cumprod(x); }
fn largest(x) { return cummax(x, dim = 0); }
fn smallest(x) { return cummin(x); }
fn middle(x) { return median(x); }
fn third(x) { return quantile(x, 0.3); }
fn sums(x) { return segment_sum(x, ids(), 5, dim = 0); }
fn means(x) { return segment_mean(x, ids(), 5, dim = 0); }
fn tops(x) { return segment_max(x[0..4, ..], [1, 0, 1, 2] as i32, 3, dim = 0); }
fn bottoms(x) { return segment_min(x, [1, 0, 1, 0] as i32, 2); }
fn shares(x) { return segment_softmax(x, ids(), 5, dim = 0); }
fn traced(x) { return trace(x @ transpose(x)) + sum(diagonal(x[0..4, ..]) * 2.0); }
fn squares(x) { return sum(diag(x) * diag(x), dim = -1); }
fn apart(x) {
    let rows = unstack(x, dim = 0);
    return rows[0] * rows[5] + squeeze(x[2..3, ..] * 3.0, dim = 0);
}

test "orders" {
    let x = reshape(iota(12), [3, 4]) to @all : S(0);
    assert_equal(flip(x) to B, [[3, 2, 1, 0], [7, 6, 5, 4], [11, 10, 9, 8]]);
    assert_equal(flip(x to B, dim = 0), [[8, 9, 10, 11], [4, 5, 6, 7], [0, 1, 2, 3]]);
    assert_equal(roll(x, 5) to B, [[3, 0, 1, 2], [7, 4, 5, 6], [11, 8, 9, 10]]);
    assert_equal(roll(x > 6, 1) to B, roll(x, 1) > 6 to B);
    assert_equal(diff(x) to B, ones([3, 3], dtype = i64));
    assert_equal(trace(reshape(iota(8), [2, 2, 2]) to @all : S(0)) to B, [3, 11]);
    assert_equal(diag(diagonal(reshape(iota(4), [2, 2]))), [[0, 0], [0, 3]]);
    assert_equal(stack(unstack(x, dim = 1), dim = 1), x);
    let odd = x % 2 == 1;
    assert_equal(tril(odd) to B, tril(x % 2) == 1 to B);
    assert_equal(triu(odd, diagonal = 1) to B, triu(x % 2, diagonal = 1) == 1 to B);
    assert_equal(diag(odd, offset = -1) to B, diag(x % 2, offset = -1) == 1 to B);
    assert_equal(pad(odd, 1, 2) to B, pad(x % 2, 1, 2) == 1 to B);
    assert_equal(pad(odd, 1, 2, dim = 0, value = true) to B, pad((x to B) % 2, 1, 2, dim = 0, value = 1) == 1);
    assert_close(linspace(-1.0, 2.0, 4), [-1.0, 0.0, 1.0, 2.0]);
    assert_close(linspace(5.0, 9.0, 1, dtype = f64), [5.0]);
    let y = sample([6, 4]) to @all : B;
    check_gradient(flipped, y);
    check_gradient(rolled, y);
    check_gradient(differences, y);
    check_gradient(apart, y);
    check_gradient(traced, y);
    check_gradient(squares, y to S(0));
}

test "running products and extrema" {
    let x = [[2.0, -1.0, 3.0, 0.5], [1.0, 5.0, -7.0, 5.0], [0.0, 9.0, 4.0, 2.0]] as f64 to @all : S(0);
    assert_close(cumprod(x) to B, [[2.0, -2.0, -6.0, -3.0], [1.0, 5.0, -35.0, -175.0], [0.0, 0.0, 0.0, 0.0]]);
    assert_close(cummax(x) to B, [[2.0, 2.0, 3.0, 3.0], [1.0, 5.0, 5.0, 5.0], [0.0, 9.0, 9.0, 9.0]]);
    assert_close(cummin(x to B, dim = 0), [[2.0, -1.0, 3.0, 0.5], [1.0, -1.0, -7.0, 0.5], [0.0, -1.0, -7.0, 0.5]]);
    assert_close(cummax(x to S(1), dim = 0) to B, [[2.0, -1.0, 3.0, 0.5], [2.0, 5.0, 3.0, 5.0], [2.0, 9.0, 4.0, 5.0]]);
    assert_equal(cumprod([1, 2, 3] as i32), [1, 2, 6]);
    let whole = [[-3, 7, 2], [-9, -1, 0]] as i32 to @all : S(0);
    assert_equal(cummax(whole) to B, [[-3, 7, 7], [-9, -1, 0]]);
    assert_equal(cummax(whole to B, dim = 0), [[-3, 7, 2], [-3, 7, 2]]);
    assert_equal(cummin(whole) to B, [[-3, -3, -3], [-9, -9, -9]]);
    check_gradient(products, x);
    check_gradient(products, sample([4, 5]) to @all : S(0));
    check_gradient(largest, sample([6, 4]) to @all : B);
    check_gradient(smallest, sample([6, 4]) to @all : S(0));
}

// The share q of lines that are long enough to be chosen from, by sorting all of them.
fn sorted_share(x, q: float, dim: int) {
    let (line, at) = (sort(x, dim), q * (shape(x)[dim] - 1.0));
    let (a, b) = (take(line, [floor(at) as i32], dim = dim), take(line, [ceil(at) as i32], dim = dim));
    return squeeze((1.0 - (at - floor(at))) * a + (at - floor(at)) * b, dim = dim);
}

fn chosen(x, few, q: float) {
    assert_close(quantile(x, q, dim = 1), sorted_share(x, q, 1), rtol = 1e-6);
    assert_close(quantile(few, q, dim = 1), sorted_share(few, q, 1), rtol = 1e-6);
    assert_close(quantile(transpose(x) as f64, q) as f32, sorted_share(x, q, 1), rtol = 1e-6);
    assert_close(quantile(transpose(x) as bf16, q) as f32, sorted_share(x as bf16 as f32, q, 1), rtol = 0.01, atol = 0.01);
    assert_close(quantile(transpose(x) to @all : S(1), q) to B, sorted_share(x, q, 1), rtol = 1e-6);
}

test "quantiles of long lines are those of sorted ones" {
    let x = normal(rng(3), [3, 5000, 2]);
    let few = floor(4.0 * x);
    chosen(x, few, 0.1);
    chosen(x, few, 0.5);
    chosen(x, few, 0.9999);
    chosen(x, few, 1.0);
    for q in [0.0, 0.77] { chosen(x, few, q); }    // of a number that the running program has
}

test "quantiles and places among sorted numbers" {
    let x = [[4.0, 1.0, 2.0, 10.0], [-1.0, -3.0, 5.0, 0.5]] as f32 to @all : S(0);
    assert_close(quantile(x, 0.0) to B, [1.0, -3.0]);
    assert_close(quantile(x, 1.0) to B, [10.0, 5.0]);
    assert_close(quantile(x, 0.25) to B, [1.75, -1.5]);
    assert_close(median(x) to B, [3.0, -0.25]);
    let odd = [[1.0, -inf, 3.0, inf, 2.0], [inf, nan, 0.0, 1.0, nan]] as f32 to @all;    // no other element counts
    assert_equal(quantile(odd, 0.5) to B, [2.0, inf]);
    assert_equal(quantile(odd, 0.25) to B, [1.0, 1.0]);
    assert_close(median(x to B, dim = 0), [1.5, -1.0, 3.5, 5.25]);
    for i in 0..5 { assert_close(quantile(linspace(0.0, 8.0, 9), i / 4.0), 2.0 * i); }
    let y = sample([6, 5]) to @all : S(0);
    check_gradient(middle, y);
    check_gradient(third, y);
    let a = [-1.0, 0.0, 0.0, 2.5] as f32;
    let b = [-2.0, -1.0, 0.0, 0.1, 9.0, 0.0 / 0.0] as f32;
    assert_equal(searchsorted(a, b), [0, 0, 1, 3, 4, 4]);
    assert_equal(searchsorted(a, b, right = true), [0, 1, 3, 3, 4, 4]);
    assert_equal(searchsorted(a to @all : B, b to @all : S(0)) to B, searchsorted(a, b));
    assert_equal(searchsorted([1, 5, 9] as i32, [[5, 6], [0, 10]] as i32), [[1, 2], [0, 3]]);
    let lines = [[1.0, 2.0, 2.0], [-inf, 0.0, nan]] as f32;
    let sought = [[2.0, 0.5, 9.0, nan], [0.0, -inf, nan, inf]] as f32;
    assert_equal(searchsorted(lines, sought), [[1, 0, 3, 3], [1, 0, 2, 2]]);
    assert_equal(searchsorted(lines, sought, right = true), [[3, 0, 3, 3], [2, 1, 3, 2]]);
    assert_equal(searchsorted(lines to @all : S(0), sought to @all : S(0)) to B, searchsorted(lines, sought));
    assert_equal(searchsorted(lines to @all : B, sought to @all : S(1), right = true) to B, searchsorted(lines, sought, right = true));
}

fn interpolated(x, xs, ys) { return sum(interp(x, xs, ys)); }

test "straight lines between points" {
    let (xs, ys) = ([0.0, 1.0, 3.0] as f64, [0.0, 10.0, 30.0] as f64);
    let at = [-1.0, 0.5, 2.5, 9.0, 1.0, 0.0, 3.0] as f64;
    assert_close(interp(at, xs, ys), [0.0, 5.0, 25.0, 30.0, 10.0, 0.0, 30.0] as f64);                 // numpy.interp
    assert_close(interp(at to @all : S(0), xs, ys) to B, interp(at, xs, ys));
    assert_close(interp(reshape(at[0..6], [2, 3]), xs, ys), reshape(interp(at[0..6], xs, ys), [2, 3]));
    assert_close(grad(interpolated, wrt = "x")(at, xs, ys), [0.0, 10.0, 10.0, 0.0, 10.0, 10.0, 10.0] as f64);
    assert_close(grad(interpolated, wrt = "ys")(at, xs, ys), [2.5, 1.75, 2.75] as f64);
    assert(is_nan(interp([nan] as f64, xs, ys)));
}

fn written(a, i, u) {
    var y = a;
    for k in 0..shape(a)[0] { for j in 0..shape(i)[1] { y[k, i[k, j]] = u[k, j]; } }
    return y;
}
fn written_sum(a, i, u) { return sum(square(written(a, i, u)) * reshape(iota(20) as f32, [4, 5])); }
fn put_sum(a, i, u) { return sum(square(put_along(a, i, u)) * reshape(iota(20) as f32, [4, 5])) to B; }

test "written along a dimension" {
    let a = uniform(rng(3), [4, 5]);
    let i = randint(rng(4), [4, 3], 0, 5);
    let u = uniform(rng(5), [4, 3]);
    let (s, t, v) = (a to @all : S(0), i to @all : S(0), u to @all : S(0));
    assert_equal(put_along(s, t, v) to B, written(a, i, u) to @all : B);
    assert_equal(put_along(transpose(a), transpose(i), transpose(u), dim = 0), transpose(written(a, i, u)));
    assert_equal(put_along(s, t, 7.0) to B, written(a, i, 0.0 * u + 7.0) to @all : B);
    assert_equal(put_along(a, (i + 3)?, u), put_along(pad(a, after = 3), i + 3, u)[.., ..5]);
    let (da, du) = grad(put_sum, wrt = ("a", "u"))(s, t, v);
    let (ea, eu) = grad(written_sum, wrt = ("a", "u"))(a, i, u);
    assert_close(da to B, ea to @all : B);
    assert_close(du to B, eu to @all : B);
    assert_equal(max_along_at(t, v, 5) to B, max(where(one_hot(i, 5) > 0.0, unsqueeze(u), -inf), dim = 1) to @all : B);
    assert_equal(min_along_at(t, v, 5) to B, min(where(one_hot(i, 5) > 0.0, unsqueeze(u), inf), dim = 1) to @all : B);
    assert_equal(eye(3, columns = 5, diagonal = -1) + eye(3, columns = 5, diagonal = 2), [[0, 0, 1, 0, 0], [1, 0, 0, 1, 0], [0, 1, 0, 0, 1]] as f32);
}

test "segments" {
    let x = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0] as f32;
    assert_close(segment_sum(x, ids(), 5), [18.0, 8.0, 0.0, 37.0, 0.0]);
    assert_close(segment_mean(x, ids(), 5), [9.0, 8.0, 0.0, 12.3333333, 0.0]);
    assert_close(segment_max(x, ids(), 4), [16.0, 8.0, -1.0 / 0.0, 32.0]);
    assert_close(segment_min(x, ids(), 4), [2.0, 8.0, 1.0 / 0.0, 1.0]);
    assert_equal(segment_max([5, -7, 3] as i32, [1, 0, 1] as i32, 2), [-7, 5]);
    assert_equal(bincount(ids(), 5), [2, 1, 0, 3, 0]);
    assert_equal(cumsum(ids() > 0), [1, 1, 2, 3, 3, 4]);
    assert_close(segment_sum(x, ([9, 0, -1, 0, 9, 0] as i32)?, 2), [42.0, 0.0]);
    let y = sample([6, 3]);
    for i in 0..3 { assert_close(segment_softmax(y[0..6, i], [0, 0, 0, 0, 0, 0] as i32, 1), softmax(y[0..6, i])); }
    assert_close(segment_sum(shares(y), ids(), 5, dim = 0)[3, ..], ones([3], dtype = f64));
    let split = y to @all : S(0);
    let where_they_go = ids() to @all : S(0);
    assert_close(segment_sum(split, where_they_go, 5, dim = 0) to B, sums(y));
    assert_close(segment_max(split, where_they_go, 5, dim = 0) to B, segment_max(y, ids(), 5, dim = 0));
    assert_close(segment_mean(split, where_they_go, 5, dim = 0) to B, means(y));
    assert_close(segment_softmax(split, where_they_go, 5, dim = 0) to B, shares(y));
    assert_close(segment_softmax(y to @all : S(1), ids() to @all : B, 5, dim = 0) to B, shares(y));
    check_gradient(sums, y to @all : S(1));
    check_gradient(means, y);
    check_gradient(tops, y);
    check_gradient(bottoms, sample([3, 4]) to @all : S(0));
    check_gradient(shares, y to @all : B);
}

fn pair(x) { return concat([x * x, sin(x)]); }
fn mixed(x) { return sum(x * x * x) + x[0] * x[1]; }
fn narrow(x) { return sum(x) * x[0..2]; }

test "derivatives of functions of one tensor" {
    let x = [0.5, -1.0, 2.0] as f64 to @all : B;
    assert_close(jacobian(square, x), [[1.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, 4.0]]);
    assert_close(jacobian(pair, x)[3.., ..], diag(cos(x)));
    assert_close(jacobian(narrow, x), [[2.0, 0.5, 0.5], [-1.0, 0.5, -1.0]]);
    assert_close(jacobian(mixed, x), [-0.25, 3.5, 12.0]);
    assert_close(jacobian(grad(mixed), x), [[3.0, 1.0, 0.0], [1.0, -6.0, 0.0], [0.0, 0.0, 12.0]]);
    assert_close(hessian_vector(mixed, x, [1.0, 2.0, -1.0] as f64), [5.0, -11.0, -12.0]);
    check_gradient(pair, x);
}
