// reductions.pml — reductions along a dimension, the last if `dim` is not given, along several or all.

/// Sums: [.., k] -> [..].
///     print(sum_along([[1, 2], [3, 4]]), sum_along([[1, 2], [3, 4]], dim = 0));    // [3, 7] [4, 6]
op sum_along(a[.., k]) -> [..] = sum[k] a;
/// Products: [.., k] -> [..].
///     print(prod_along([[1, 2], [3, 4]]));    // [2, 12]
op prod_along(a[.., k]) -> [..] = prod[k] a;
/// Largest elements: [.., k] -> [..].
///     print(max_along([[1, 2], [3, 4]]));    // [2, 4]
op max_along(a[.., k]) -> [..] = max[k] a;
/// Smallest elements: [.., k] -> [..].
///     print(min_along([[1, 2], [3, 4]]));    // [1, 3]
op min_along(a[.., k]) -> [..] = min[k] a;
/// Means, of floats: [.., k] -> [..].
///     print(mean_along([[1.0, 2.0], [3.0, 4.0]]));    // [1.5, 3.5]
op mean_along(a[.., k]) -> [..] = mean[k] a;
/// Whether any element holds: bool[.., k] -> bool[..].
///     print(any_along([[1, 2], [3, 4]] as i32 > 3));    // [false, true]
op any_along(a[.., k]) -> [..] = any[k] a;
/// Whether all elements hold: bool[.., k] -> bool[..].
///     print(all_along([[1, 2], [3, 4]] as i32 > 2));    // [false, true]
op all_along(a[.., k]) -> [..] = all[k] a;
/// The position of the largest element, i32; the first among equals, the first NaN if there is one.
///     print(argmax([[1, 7, 3], [9, 5, 6]]));    // [1, 0]
op argmax(a[.., k]) -> [..] = argmax[k] a;
/// The position of the smallest element, i32; the first among equals, the first NaN if there is one.
///     print(argmin([[1, 7, 3], [9, 5, 6]]));    // [0, 1]
op argmin(a[.., k]) -> [..] = argmin[k] a;
op sum_matrix(a[i, j]) -> [] = sum[i, j] a;
op mean_matrix(a[i, j]) -> [] = mean[i, j] a;

// Over the last dimensions at once, so that all that are equal share a derivative: one dimension after the other each line would have its share.
op max_of_2(a[.., i, j]) -> [..] = max[i, j] a;
op max_of_3(a[.., i, j, k]) -> [..] = max[i, j, k] a;
op max_of_4(a[.., i, j, k, l]) -> [..] = max[i, j, k, l] a;
op max_of_5(a[.., i, j, k, l, m]) -> [..] = max[i, j, k, l, m] a;
op max_of_6(a[.., i, j, k, l, m, n]) -> [..] = max[i, j, k, l, m, n] a;
op max_of_7(a[.., i, j, k, l, m, n, o]) -> [..] = max[i, j, k, l, m, n, o] a;
op max_of_8(a[i, j, k, l, m, n, o, p]) -> [] = max[i, j, k, l, m, n, o, p] a;
op min_of_2(a[.., i, j]) -> [..] = min[i, j] a;
op min_of_3(a[.., i, j, k]) -> [..] = min[i, j, k] a;
op min_of_4(a[.., i, j, k, l]) -> [..] = min[i, j, k, l] a;
op min_of_5(a[.., i, j, k, l, m]) -> [..] = min[i, j, k, l, m] a;
op min_of_6(a[.., i, j, k, l, m, n]) -> [..] = min[i, j, k, l, m, n] a;
op min_of_7(a[.., i, j, k, l, m, n, o]) -> [..] = min[i, j, k, l, m, n, o] a;
op min_of_8(a[i, j, k, l, m, n, o, p]) -> [] = min[i, j, k, l, m, n, o, p] a;

fn names(dims: list, d: int, n: int) {
    for e in dims {
        if e == d || e == d - n { return true; }
    }
    return false;
}

// The dimensions of x in a list, the last first: then what goes with one of them renumbers none of those to come.
fn last_first(x, dims: list) {
    var found = [];
    for i in 0..rank(shape(x)) {
        let d = rank(shape(x)) - 1 - i;
        if names(dims, d, rank(shape(x))) { found = found + [d]; }
    }
    assert(length(found) == length(dims), message = "`dim` lists dimensions of the tensor, each once");
    return found;
}

// How many elements stand along the dimensions of a list.
fn points_along(x, dims: list) {
    var n = 1;
    for d in dims { n = n * shape(x)[d]; }
    return n;
}

// f along every dimension, along those of a list, or along one.
fn along(f, x, dim) {
    if is_list(dim) {
        var y = x;
        for d in last_first(x, dim) { y = f(y, dim = d); }
        return y;
    }
    if dim != none { return f(x, dim = dim); }
    var y = x;
    for i in 0..rank(shape(x)) { y = f(y); }
    return y;
}

// f, a list of functions of the last one, two, … dimensions, along every dimension, along those of a list, or along one.
fn at_once(f: list, x, dim) {
    let n = rank(shape(x));
    if is_list(dim) {
        let reduced = last_first(x, dim);
        var order = [];
        for i in 0..n { if !names(reduced, i, n) { order = order + [i]; } }
        for i in 0..n { if names(reduced, i, n) { order = order + [i]; } }
        if length(reduced) == 0 { return x; }
        let last = f[length(reduced) - 1];
        return last(if length(reduced) == n => x else permute(x, order));
    }
    let all = f[if dim != none || n == 0 => 0 else n - 1];
    if dim != none { return all(x, dim = dim); }
    return if n == 0 => x else all(x);
}

// What a reduction of x along `dim`, which may be a list, left of it, with these dimensions of one element: it stands above x.
fn above(m, x, dim) {
    var y = m;
    for i in 0..rank(shape(x)) {
        if names(dim, i, rank(shape(x))) { y = unsqueeze(y, dim = i); }
    }
    return y;
}
fn less_along(x, m, dim) { return if is_list(dim) => x - above(m, x, dim) else sub_along(x, m, dim = dim); }
// exp(x - m) likewise. Of 16 bits the difference is not rounded, for which a softmax takes 0.92 of the time.
fn exp_less_along(x, m, dim) { return if is_narrow(x) && !is_list(dim) => exp_of_less(x, m, dim = dim) else exp(less_along(x, m, dim)); }
op exp_of_less(a[.., k], b[..]) -> [.., k] = exp(a - b);

/// The sum of all elements, or along `dim`, which may be a list. Bools are counted (i32).
///     let x = [[1.0, 2.0], [4.0, 3.0]] as f32;
///     print(sum(x), sum(x, dim = 0), sum(x, dim = [0, 1]));    // 10 [5, 5] 10
fn sum(x, dim = none) {
    if dim == none && rank(shape(x)) == 2 { return sum_matrix(x); }
    return along(sum_along, x, dim);
}

/// The product of all elements, or along `dim`, which may be a list.
///     let x = [[1.0, 2.0], [4.0, 3.0]] as f32;
///     print(prod(x), prod(x, dim = 0));    // 24 [4, 6]
fn prod(x, dim = none) {
    return along(prod_along, x, dim);
}

/// The mean of all elements of the logical tensor, or along `dim`, which may be a list. Of ints and bools in f32, of bools the share that holds.
///     let x = [[1.0, 2.0], [4.0, 3.0]] as f32;
///     print(mean(x), mean(x, dim = 0), mean(x > 1.0));    // 2.5 [2.5, 2.5] 0.75
fn mean(x, dim = none) {
    if rank(shape(x)) >= 0 && !is_float(x) { return mean(x as f32, dim = dim); }
    if dim == none && rank(shape(x)) == 2 && (x.dtype == bf16 || x.dtype == f16) { return mean_matrix(x); }
    if dim == none && !(x.dtype == bf16 || x.dtype == f16) { return sum(x) / volume(x); }
    if is_list(dim) && !(x.dtype == bf16 || x.dtype == f16) { return sum(x, dim = dim) / points_along(x, dim); }
    return along(mean_along, x, dim);
}

/// max(x): the largest element; max(x, dim = d): along a dimension, or those of a list; max(x, y): elementwise.
///     let x = [[1.0, 2.0], [4.0, 3.0]] as f32;
///     print(max(x), max(x, dim = 1));    // 4 [2, 4]
///     print(max(x, 2.5));
///     // [[2.5, 2.5],
///     //  [4, 3]]
fn max(x, y = none, dim = none) {
    if y != none {
        assert(dim == none, message = "`max` is of two, or along `dim`: of three numbers it is `max(a, max(b, c))`");
        return maximum(x, y);
    }
    return at_once([max_along, max_of_2, max_of_3, max_of_4, max_of_5, max_of_6, max_of_7, max_of_8], x, dim);
}

/// min(x): the smallest element; min(x, dim = d): along a dimension, or those of a list; min(x, y): elementwise.
///     let x = [[1.0, 2.0], [4.0, 3.0]] as f32;
///     print(min(x), min(x, dim = 1));    // 1 [1, 3]
///     print(min(x, 2.5));
///     // [[1, 2],
///     //  [2.5, 2.5]]
fn min(x, y = none, dim = none) {
    if y != none {
        assert(dim == none, message = "`min` is of two, or along `dim`: of three numbers it is `min(a, min(b, c))`");
        return minimum(x, y);
    }
    return at_once([min_along, min_of_2, min_of_3, min_of_4, min_of_5, min_of_6, min_of_7, min_of_8], x, dim);
}

/// Whether any element holds, or along `dim`, which may be a list.
///     print(any(iota(3) > 1), any(iota(3) > 2));    // true false
fn any(x, dim = none) {
    return along(any_along, x, dim);
}

/// Whether all elements hold, or along `dim`, which may be a list.
///     print(all(iota(3) >= 0), all(iota(3) > 0));    // true false
fn all(x, dim = none) {
    return along(all_along, x, dim);
}

// What n elements less `correction` count; no less than 0, by which nothing is divided.
fn free(n: int, correction: int) { return if n > correction => 1.0 * (n - correction) else 0.0; }

/// The variance along `dim`, which may be a list, of n elements the sum of squares divided by n - correction: [.., n] -> [..]. correction = 1: that of what
/// they are a sample of.
///     print(variance([1.0, 3.0]), variance([1.0, 3.0] as f32, correction = 1));    // 1 2
///     print(variance([[1.0, 3.0], [1.0, 3.0]] as f32, dim = [0, 1]));    // 1
fn variance(x, dim = -1, correction: int = 0) {
    let c = less_along(x, finish(along(mean_along, x, dim)), dim);
    if correction == 0 { return along(mean_along, c * c, dim); }
    return along(sum_along, c * c, dim) / free(points_along(c, if is_list(dim) => dim else [dim]), correction);
}

/// The root of the variance along `dim`, which may be a list: [.., k] -> [..].
///     print(std([1.0, 3.0]));    // 1
fn std(x, dim = -1, correction: int = 0) {
    return root(finish(variance(x, dim, correction)));
}

/// The covariances of variables, one a line: x[.., v, n] of n observations -> [.., v, v], divided by n - correction.
///     print(covariance([[1.0, 3.0], [2.0, -2.0]] as f32));
///     // [[2, -4],
///     //  [-4, 8]]
fn covariance(x, correction: int = 1) {
    let c = sub_along(x, finish(mean_along(x)));
    return (c @ transpose(c)) / free(shape(x)[-1], correction);
}

/// The correlations of variables, one a line: x[.., v, n] -> [.., v, v], -1 to 1.
///     print(correlation([[1.0, 3.0, 5.0], [2.0, 0.0, -2.0]] as f32));
///     // [[1, -1],
///     //  [-1, 1]]
fn correlation(x) {
    let c = finish(covariance(x, correction = 0));
    let s = sqrt(diagonal(c));
    return clamp(div_along(div_along(c, s), s, dim = -2), -1.0, 1.0);
}

// What is no number left out: sums, and how many there are.
op number_or_0(a[..]) -> [..] = where(a == a, a, 0);
op is_number(a[..]) -> [..] = a == a;

/// The sum of the elements that are numbers, or along `dim`, which may be a list.
///     print(nan_sum([1.0, nan, 2.0] as f32));    // 3
fn nan_sum(x, dim = none) {
    return sum(number_or_0(x), dim);
}

/// The mean of the elements that are numbers, or along `dim`, which may be a list; not a number where there is none.
///     print(nan_mean([1.0, nan, 2.0] as f32));    // 1.5
fn nan_mean(x, dim = none) {
    return per_count(finish(sum(number_or_0(x), dim)), finish(sum(is_number(x), dim)));
}
fn per_count[t: float](total: t[..], count) { return total / (count as t); }

// sqrt, with the derivative 0 at 0: of what cannot become smaller.
op root(a[..]) -> [..] = if a == 0 => 0 else sqrt(if a == 0 => 1 else a);

/// The root of the sum of squares of all elements, or along `dim`.
///     let x = [[3.0, 4.0], [6.0, 8.0]] as f32;
///     print(norm(x), norm(x, dim = 1));    // 11.1803 [5, 10]
fn norm(x, dim = none) {
    return root(finish(sum(x * x, dim = dim)));
}
