// order.pml — sorting, searching, and all elements up to each.

/// How many elements of its line come before each: a smaller one, or an equal one at a lower position; NaN comes after every number.
///     let x = [30, 10, 20] as i32;
///     print(ranking_up(x, x));    // [2, 0, 1]
op ranking_up(a[.., i], b[.., j]) -> [.., i]
    = sum[j] (b < a || (a != a && b == b) || (j < i && (b == a || (a != a && b != b))));
/// The same from the largest on; NaN comes before every number.
///     let x = [30, 10, 20] as i32;
///     print(ranking_down(x, x));    // [0, 2, 1]
op ranking_down(a[.., i], b[.., j]) -> [.., i]
    = sum[j] (b > a || (b != b && a == a) || (j < i && (b == a || (a != a && b != b))));
op in_order(x[.., v], i[.., k]: int) -> [.., k] = x[.., i?];
op position_along(r[.., i]: int, n: int) -> [.., r? < n] = sum[i] i as i32;

/// Where each element stands once its line along `dim` is sorted: i32. Equal elements keep their order; NaN counts as larger than
/// every number. Lines that lie on one rank are sorted; split lines want a `to`.
///     print(ranking([30, 10, 20]), ranking([30, 10, 20], descending = true));    // [2, 0, 1] [0, 2, 1]
fn ranking(x, dim = -1, descending = false) {
    if descending { return ranking_down(x, x, dim = dim); }
    return ranking_up(x, x, dim = dim);
}

/// x sorted along `dim`, equal elements in their order, NaN behind all numbers; its derivative goes where the element came from.
///     let x = [[3.0, 1.0], [2.0, 4.0]] as f32;
///     print(sort(x));
///     // [[1, 3],
///     //  [2, 4]]
///     print(sort(x, dim = 0));
///     // [[2, 1],
///     //  [3, 4]]
///     print(sort([3.0, 1.0, 2.0] as f32, descending = true));    // [3, 2, 1]
fn sort(x, dim = -1, descending = false) {
    return in_order(x, argsort(x, dim, descending), dim = dim);
}

/// The positions along `dim` in the order of their elements, i32: take_along(x, argsort(x)) is sort(x).
///     print(argsort([3.0, 1.0, 2.0] as f32));    // [1, 2, 0]
fn argsort(x, dim = -1, descending = false) {
    return position_along(ranking(x, dim, descending), n = shape(x)[dim], dim = dim);
}

/// The k largest elements along `dim`, from the largest on, or the smallest, from the smallest on, and their positions (i32): (values, positions).
///     let (values, at) = top_k([3.0, 1.0, 2.0], 2);
///     print(values, at);    // [3, 2] [0, 2]
///     print(top_k([3.0, 1.0, 2.0], 2, smallest = true)[0]);    // [1, 2]
fn top_k(x, k: int, dim = -1, smallest: bool = false) {
    let order = ranking(x, dim, !smallest);
    assert(0 <= k && k <= shape(order)[dim], message = "`top_k` takes as many elements as there are at the most");
    let at = position_along(order, n = k, dim = dim);
    return (in_order(x, at, dim = dim), at);
}

op less_first(r[..], first[]) -> [..] = r - first;
op between(a[.., k], i[]: int, j[]: int, part[]: f64, dtype: dtype) -> [..]
    = if part > 0.0 => (1.0 - part) as dtype * a[.., i] + part as dtype * a[.., j] else a[.., i];

/// The number below which the share q of the elements along `dim` lies, 0 <= q <= 1, by a straight line between neighbours: [.., n] -> [..].
/// NaN counts as larger than every number. q is a number, a tensor of one, or a list of such, whose numbers stand side by side in the first dimension.
///     let x = [4.0, 1.0, 2.0] as f32;
///     print(quantile(x, 0.25), quantile(x, [0.5, 1.0]));    // 1.5 [2, 4]
fn quantile(x, q, dim = -1) {
    if is_list(q) {
        var all = [];
        for one in q { all = all + [quantile(x, one, dim)]; }
        return stack(all, dim = 0);
    }
    assert(shape(x)[dim] > 0, message = "there is an element to take at least");
    assert(q >= 0.0 && q <= 1.0, message = "`quantile` takes a share of 0 to 1");
    let at = full((q as f64) * (shape(x)[dim] - 1.0), [], dtype = f64);
    let (below, two) = (floor(at), if shape(x)[dim] > 1 => 2 else 1);
    let first = min(below as i32, (shape(x)[dim] - two) as i32);
    let places = position_along(less_first(ranking(x, dim), first), n = two, dim = dim);
    return between(in_order(x, places, dim = dim), below as i32 - first, ceil(at) as i32 - first, at - below, x.dtype, dim = dim);
}

/// The middle element along `dim`, of an even number the mean of two: [.., n] -> [..]. NaN counts as in `quantile`.
///     print(median([4.0, 1.0, 2.0] as f32), median([4.0, 1.0, 2.0, 3.0] as f32));    // 2 2.5
fn median(x, dim = -1) {
    return quantile(x, 0.5, dim);
}

op share_of(count[..], q: f64) -> [..] = q * max(count as f64 - 1.0, 0.0);
op nearer(a[..], b[..], part[..]: f64, count[..], dtype: dtype) -> [..]
    = if count == 0 => 0.0 / 0.0 else if part > 0.0 => (1.0 - part) as dtype * a + part as dtype * b else a;

/// `quantile` of the elements along `dim` that are numbers: not a number where there is none.
///     print(nan_quantile([4.0, nan, 1.0, 2.0] as f32, 0.5));    // 2
fn nan_quantile(x, q: float, dim = -1) {
    assert(shape(x)[dim] > 0, message = "there is an element to take at least");
    assert(q >= 0.0 && q <= 1.0, message = "`nan_quantile` takes a share of 0 to 1");
    let count = finish(sum_along(is_number(x), dim = dim));
    let at = share_of(count, q);
    let line = sort(x, dim);
    let (a, b) = (pick(line, floor(at) as i32, dim = dim), pick(line, ceil(at) as i32, dim = dim));
    return nearer(finish(a), finish(b), at - floor(at), count, x.dtype);
}

op at_first(x[..]) -> [..] = (if x == x => 0 else 0) as i32;
op beyond(a[v], at[..]: int, x[..], step: int) -> [..] = (if a[at?] >= x || a[at?] != a[at?] => 0 else step) as i32;
op beyond_equal(a[v], at[..]: int, x[..], step: int) -> [..] = (if a[at?] > x || (a[at?] != a[at?] && x == x) => 0 else step) as i32;
op beyond_of_line(a[.., v], at[.., k]: int, x[.., k], step: int) -> [.., k] = (if a[.., at?] >= x || a[.., at?] != a[.., at?] => 0 else step) as i32;
op beyond_equal_of_line(a[.., v], at[.., k]: int, x[.., k], step: int) -> [.., k]
    = (if a[.., at?] > x || (a[.., at?] != a[.., at?] && x == x) => 0 else step) as i32;

// The largest power of 2 that is not above n; 0 of 0.
fn power_up_to(n: int) { return if n < 2 => n else 2 * power_up_to(floor_div(n, 2)); }

// Those at `low` and further behind, where so many elements of a are passed.
fn bisected(a, x, low, step: int, right: bool) {
    if step == 0 { return low; }
    let at = low + (step - 1);
    let passed = if rank(a) > 1 => (if right => beyond_equal_of_line(a, at, x, step) else beyond_of_line(a, at, x, step))
        else if right => beyond_equal(a, at, x, step) else beyond(a, at, x, step);
    return bisected(a, x, low + passed, floor_div(step, 2), right);
}

/// Where each x belongs among a[n], which rises: how many of a are smaller, i32; right = true: or equal. NaN is larger than every number, as for `sort`. By
/// bisection, so a lies whole on each rank of x, which is split as one likes. Of lines a[.., n] each is for the line of x[.., k] in its place.
///     print(searchsorted([1.0, 2.0, 4.0] as f32, [0.5, 2.0, 9.0] as f32));    // [0, 1, 3]
///     print(searchsorted([[1.0, 2.0], [3.0, 4.0]] as f32, [[1.5], [1.5]] as f32));
///     // [[1],
///     //  [0]]
fn searchsorted(a, x, right: bool = false) {
    return bisected(a, x, at_first(x), power_up_to(shape(a)[-1]), right);
}

/// Straight lines between the points (xs[n], ys[n]) at each x, xs rising; beyond the outer points the height of these. xs and ys lie whole on each rank of
/// x, which is split as one likes. At a point the slope is that of the line behind it.
///     print(interp([-1.0, 0.5, 2.5, 9.0] as f32, [0.0, 1.0, 3.0] as f32, [0.0, 10.0, 30.0] as f32));    // [0, 5, 25, 30]
fn interp(x, xs, ys) {
    let last = shape(xs)[0] - 2;
    assert(rank(xs) == 1 && shape(xs) == shape(ys) && last >= 0, message = "`interp` goes through at least two points: xs[n] and ys[n]");
    let k = clamp(searchsorted(xs, x, right = true) - 1, 0, last);
    let at = where(x < xs[0], xs[0], where(x > xs[-1], xs[-1], x));      // not clamp, which has no slope at the ends
    let share = (at - xs[k]) / (xs[k + 1] - xs[k]);
    return ys[k] + share * (ys[k + 1] - ys[k]);
}

op sum_up_to(a[.., j], n: int) -> [.., n] = sum[j] where(j <= n, a, 0);

/// Sums of all elements up to and with each, along `dim`. Bools are counted (i32). Along a split dimension it gives parts, which a `to` finishes by
/// the totals of the shards alone.
///     print(cumsum([1, 2, 3] as i32), cumsum([1, 2, 3] as i32 > 1));    // [1, 3, 6] [0, 1, 2]
fn cumsum(x, dim = -1) {
    let n = shape(x)[dim];
    return sum_up_to(if x.dtype == bool => x as i32 else x, n = n, dim = dim);
}

op prod_up_to(a[.., j], n: int) -> [.., n] = prod[j] where(j <= n, a, 1);
op max_up_to(a[.., j], n: int) -> [.., n] = max[j] where(j <= n, a, -inf);
op min_up_to(a[.., j], n: int) -> [.., n] = min[j] where(j <= n, a, inf);

// Of ints, which have no infinity: n - back is a place or none.
op max_back(a[.., j], n: int, back: int) -> [.., n] = max[back] a[.., n - back];
op min_back(a[.., j], n: int, back: int) -> [.., n] = min[back] a[.., n - back];

fn is_float(x) { return x.dtype == f32 || x.dtype == f64 || x.dtype == bf16 || x.dtype == f16; }

/// Products of all elements up to and with each, along `dim`.
///     print(cumprod([1, 2, 3] as i32));    // [1, 2, 6]
fn cumprod(x, dim = -1) {
    return prod_up_to(x, n = shape(x)[dim], dim = dim);
}

/// The largest of all elements up to and with each, along `dim`.
///     print(cummax([1.0, 3.0, 2.0] as f32));    // [1, 3, 3]
fn cummax(x, dim = -1) {
    let n = shape(x)[dim];
    return if is_float(x) => max_up_to(x, n = n, dim = dim) else max_back(x, n = n, back = n, dim = dim);
}

/// The smallest of all elements up to and with each, along `dim`.
///     print(cummin([2.0, 3.0, 1.0] as f32));    // [2, 2, 1]
fn cummin(x, dim = -1) {
    let n = shape(x)[dim];
    return if is_float(x) => min_up_to(x, n = n, dim = dim) else min_back(x, n = n, back = n, dim = dim);
}

op or_minus_inf(a[.., n], first: int) -> [.., n] = if n >= first => a else -inf;

/// log(sum(exp(x))) of all elements up to and with each, along `dim`, without overflow.
///     print(logcumsumexp([0.0, 0.0, 1000.0] as f32));    // [0, 0.693147, 1000]
fn logcumsumexp(x, dim = -1) {
    return sums_of_exp(x, 1, dim);
}

// Of what is up to `by` elements back in each already, as far as there are more.
fn sums_of_exp(x, by: int, dim) {
    let n = shape(x)[dim];
    if by >= n { return x; }
    return sums_of_exp(logaddexp(x, or_minus_inf(pad_along(x, n = n, before = by, dim = dim), first = by, dim = dim)), 2 * by, dim);
}
