// indices.pml — data as indices: elements taken, put and added where other data say.

// ---- data as indices ----

/// Rows of a table: t[v, d], i[..] -> [.., d]. An i outside of 0..v ends the program; of `i?`, here and below, it reads 0 and adds nothing.
///     print(embed([[1.0, 2.0], [3.0, 4.0]], [1, 1, 0] as i32));
///     // [[3, 4],
///     //  [3, 4],
///     //  [1, 2]]
op embed(t[v, d], i[..]: int) -> [.., d] = t[i, d];
/// The element that i names of every row: a[.., k], i[..] -> [..].
///     print(pick([[1, 2, 3], [4, 5, 6]], [2, 0] as i32));    // [3, 4]
op pick(a[.., k], i[..]: int < k) -> [..] = sum[k] where(k == i, a, 0);
/// Rows of u added up at the places i says: i[n], u[n, ..] -> [rows, ..].
///     print(scatter_add([1, 1, 0] as i32, [[1.0], [2.0], [4.0]], 3));
///     // [[4],
///     //  [3],
///     //  [0]]
op scatter_add(i[n]: int, u[n, ..], rows: int) -> [i < rows, ..] = sum[n] u;
op indicator(i[..]: int < c, c: int, dtype: dtype) -> [.., c] = where(i == c, 1, 0) as dtype;

/// 1 at the class, else 0: i[..] -> [.., classes]. A class outside of 0..classes ends the program; of `i?` it is 0 everywhere.
///     print(one_hot([2, 0] as i32, 3));
///     // [[0, 0, 1],
///     //  [1, 0, 0]]
fn one_hot(i, classes: int, dtype: dtype = f32) {
    return indicator(i, classes, dtype);
}

/// The elements that i names along `dim`: a[.., v], i[.., k] -> [.., k], the other dimensions alike.
///     print(take_along([[1, 2, 3], [4, 5, 6]], [[2, 2], [0, 1]] as i32));
///     // [[3, 3],
///     //  [4, 5]]
op take_along(a[.., v], i[.., k]: int) -> [.., k] = a[.., i];
/// The positions i along `dim`, the same in every line: a[.., v], i[k] -> [.., k].
///     print(take([[1, 2, 3], [4, 5, 6]], [2, 0] as i32));
///     // [[3, 1],
///     //  [6, 4]]
op take(a[.., v], i[k]: int) -> [.., k] = a[.., i];
/// u added up along `dim` at the positions i says: i[.., k], u[.., k] -> [.., n]. What take_along reads, the other way round.
///     print(add_along_at([[0, 2, 2]] as i32, [[1.0, 2.0, 4.0]], 3));    // [[1, 0, 6]]
op add_along_at(i[.., k]: int, u[.., k], n: int) -> [.., i < n] = sum[k] u;
/// The largest of u, along `dim`, of those that are to go to the position i says, -inf (of ints the smallest there is) where none is: i[.., k], u[.., k] -> [.., n].
///     print(max_along_at([[0, 2, 2]] as i32, [[1, 2, 4]], 3)[0, 2]);    // 4
op max_along_at(i[.., k]: int, u[.., k], n: int) -> [.., i < n] = max[k] u;
/// The smallest of them, inf (of ints the largest there is) where none is.
///     print(min_along_at([[0, 2, 2]] as i32, [[1, 2, 4]], 3)[0, 2]);    // 2
op min_along_at(i[.., k]: int, u[.., k], n: int) -> [.., i < n] = min[k] u;
/// The products of them, 1 where none is. They have no derivative.
///     print(prod_along_at([[0, 2, 2]] as i32, [[3.0, 2.0, 4.0]], 3));    // [[3, 1, 8]]
op prod_along_at(i[.., k]: int, u[.., k], n: int) -> [.., i < n] = prod[k] u;
op last_along_at(i[.., k]: int, n: int) -> [.., i < n] = max[k] k;

/// a with u at the positions along `dim` that i says, of which the last counts where several are one: a[.., v], i[.., k], u[.., k] -> [.., v]; u may be one number.
/// What take_along reads, written.
///     print(put_along([[1, 2, 3], [4, 5, 6]] as i32, [[2, 2], [0, 1]] as i32, [[7, 8], [9, 0]] as i32));
///     // [[1, 2, 8],
///     //  [9, 0, 6]]
fn put_along(a, i, u, dim = -1) {
    let last = last_along_at(i, n = shape(a)[dim], dim = dim);
    if is_tensor(u) && rank(u) == rank(a) { return where(last >= 0, take_along(u, last?, dim = dim), a); }
    return where(last >= 0, u, a);
}

/// How often each number of 0..count is in i[n]: i32[count]. One outside ends the program; of `i?` it is not counted.
///     print(bincount([0, 2, 2] as i32, 4));    // [1, 0, 2, 0]
op bincount(i[n]: int, count: int) -> [i < count] = sum[n] 1;
op box_of(x[..], low: f64, high: f64, bins: int) -> [..]
    = (if x == high => bins - 1 else if x >= low && x < high => min(floor((x - low) * (bins / (high - low))), bins - 1) else -1) as i32;

/// How many elements of x are in each of so many equal parts of low to high, which belongs to the last part: i32[bins]. What is outside is not counted.
///     print(histogram([0.0, 0.1, 0.9, 2.0, 3.0] as f32, 2, 0.0, 2.0));    // [3, 1]
fn histogram(x, bins: int, low: float, high: float) {
    assert(bins > 0, message = "there is one part at least");
    assert(low < high, message = "`low` is below `high`");
    return bincount(box_of(reshape(x, [-1]), low, high, bins)?, bins);
}

/// Whether each x is one of the values[n]: bool[..].
///     print(is_in([1, 2, 3] as i32, [3, 1] as i32));    // [true, false, true]
op is_in(x[..], values[k]) -> [..] = any[k] (x == values);

// ---- segments: elements along `dim` that have the same id, sorted or not. An id outside of 0..count ends the program; of `ids?` it counts for nothing ----

/// Sums: x[.., n], ids[n] -> [.., count].
///     print(segment_sum([1, 2, 4], [0, 2, 2] as i32, 3));    // [1, 0, 6]
op segment_sum(x[.., k], ids[k]: int, count: int) -> [.., ids < count] = sum[k] x;
/// Largest elements, -inf (of ints the smallest there is) where there is none: x[.., n], ids[n] -> [.., count].
///     print(segment_max([1, 2, 4], [0, 1, 1] as i32, 2));    // [1, 4]
op segment_max(x[.., k], ids[k]: int, count: int) -> [.., ids < count] = max[k] x;
/// Smallest elements, inf (of ints the largest there is) where there is none: x[.., n], ids[n] -> [.., count].
///     print(segment_min([1, 2, 4], [0, 1, 1] as i32, 2));    // [1, 2]
op segment_min(x[.., k], ids[k]: int, count: int) -> [.., ids < count] = min[k] x;
/// Products, 1 where there is none: x[.., n], ids[n] -> [.., count]. They have no derivative.
///     print(segment_prod([3, 2, 4], [0, 2, 2] as i32, 3));    // [3, 1, 8]
op segment_prod(x[.., k], ids[k]: int, count: int) -> [.., ids < count] = prod[k] x;
op segment_size(ids[k]: int, count: int, dtype: dtype) -> [ids < count] = sum[k] 1 as dtype;

/// Means, 0 where there is nothing: x[.., n], ids[n] -> [.., count].
///     print(segment_mean([1.0, 2.0, 4.0] as f32, [0, 2, 2] as i32, 3));    // [1, 0, 3]
fn segment_mean(x, ids, count: int, dim = -1) {
    let n = finish(segment_size(ids, count, x.dtype));
    return scaled_along(segment_sum(x, ids, count = count, dim = dim), 1.0 / max(n, 1.0), dim = dim);
}
op scaled_along(a[.., k], b[k]) -> [.., k] = a * b;

/// exp(x) / sum(exp(x)) within each segment: x[.., n], ids[n] -> [.., n].
///     print(segment_softmax([0.0, 0.0, 1.0, 5.0] as f32, [0, 0, 0, 1] as i32, 2));    // [0.211942, 0.211942, 0.576117, 1]
fn segment_softmax(x, ids, count: int, dim = -1) {
    let m = stop_gradient(finish(segment_max(x, ids, count = count, dim = dim)));
    let e = exp(x - take(m, ids, dim = dim));
    return e / take(finish(segment_sum(e, ids, count = count, dim = dim)), ids, dim = dim);
}

// ---- positions ----

/// The first position along `dim` at which a equals m: a[.., k], m[..] -> [..], i64; what no position equals gives the largest i64.
///     print(first_equal([[5, 7, 7]], [7]));    // [1]
op first_equal(a[.., k], m[..]) -> [..] = min[k] where(a == m, k, 9223372036854775807);
