// shapes.pml — tensors in another shape or order, joined and cut.

/// The last two dimensions exchanged.
///     print(transpose([[1, 2, 3], [4, 5, 6]]));
///     // [[1, 4],
///     //  [2, 5],
///     //  [3, 6]]
op transpose(a[.., i, j]) -> [.., j, i] = a;
/// x repeated to a shape with more, or longer, dimensions.
///     print(broadcast([1, 2], [2, 2]));
///     // [[1, 2],
///     //  [1, 2]]
op broadcast(a[..], shape: shape) -> [..] = a;
op pad_along(a[.., i], n: int, before: int) -> [.., n] = a[.., n - before];

op reversed(a[.., i], n: int) -> [.., n] = a[.., extent(n) - 1 - n];

/// The elements along `dim` in reverse order.
///     print(flip([[1, 2], [3, 4]] as i32, dim = 0));
///     // [[3, 4],
///     //  [1, 2]]
fn flip(x, dim = -1) {
    return reversed(x, n = shape(x)[dim], dim = dim);
}

op joined(a[.., i], b[.., i], at: int) -> [.., i] = if i >= at => b else a;

// Which dimension of a, but `dim`, is not as long as that of b, in words; "" if all are.
fn unlike(a, b, dim: int) {
    let (s, t) = (shape(a), shape(b));
    let k = if dim < 0 => dim + rank(s) else dim;
    for i in 0..rank(s) { if i != k && s[i] != t[i] { return "dimension " + i + " is " + t[i] + " and " + s[i]; } }
    return "";
}

/// Numbers one after the other along `dim`; parts is a list of tensors, which are of one shape but along `dim`.
///     print(concat([[1, 2] as i32, [3] as i32]));    // [1, 2, 3]
fn concat(parts: list, dim = -1) {
    assert(length(parts) > 0, message = "`concat` and `stack` take a list of at least one tensor");
    var n = 0;
    for p in parts {
        assert(rank(shape(p)) == rank(shape(parts[0])), message = "`concat` takes tensors of equally many dimensions");
        let wrong = unlike(p, parts[0], dim);
        assert(wrong == "", message = "`concat` takes tensors of one shape but along `dim`: " + wrong);
        let (t, first) = (p.dtype, parts[0].dtype);
        assert(t == first, message = "`concat` takes tensors of one element type: " + format(first) + " and " + format(t));
        n += shape(p)[dim];
    }
    var y = none;
    var at = 0;
    for p in parts {
        if shape(p)[dim] > 0 {
            let part = pad_along(p, n = n, before = at, dim = dim);
            y = if y == none => part else joined(y, part, at = at, dim = dim);
        }
        at += shape(p)[dim];
    }
    if y == none { y = parts[0]; }
    if place_of(y) == none {                      // what has no elements has a place
        for p in parts {
            if place_of(y) == none && place_of(p) != none {
                let there = place_of(p);
                y = y to @there;
            }
        }
    }
    return y;
}

op unsqueezed(a[..], one: int) -> [.., one] = a;

/// A dimension of one element more, number `dim` of the result: [n, m] with dim = 1 -> [n, 1, m].
///     print(shape(unsqueeze(ones([2, 3]), dim = 1)));    // [2, 1, 3]
fn unsqueeze(x, dim = -1) {
    return unsqueezed(x, one = 1, dim = dim);
}

/// Tensors of one shape side by side along a new dimension, number `dim` of the result; parts is a list of tensors.
///     print(stack([[1, 2] as i32, [3, 4] as i32], dim = 0));
///     // [[1, 2],
///     //  [3, 4]]
fn stack(parts: list, dim = -1) {
    var rows = [];
    for p in parts {
        let many = rank(shape(p));
        assert(many == rank(shape(parts[0])), message = "`stack` takes tensors of equally many dimensions");
        let wrong = unlike(p, parts[0], many);
        assert(wrong == "", message = "`stack` takes tensors of one shape: " + wrong);
        rows = rows + [unsqueeze(p, dim)];
        let (t, first) = (rows[length(rows) - 1].dtype, rows[0].dtype);
        assert(t == first, message = "`stack` takes tensors of one element type: " + format(first) + " and " + format(t));
    }
    return concat(rows, dim = dim);
}

op element_along(a[.., k], at: int) -> [..] = a[.., at];

/// Without a dimension of one element, number `dim`: [n, 1, m] with dim = 1 -> [n, m].
///     print(shape(squeeze(ones([2, 1, 3]), dim = 1)));    // [2, 3]
fn squeeze(x, dim = -1) {
    assert(shape(x)[dim] == 1, message = "squeeze takes away a dimension of one element");
    return element_along(x, at = 0, dim = dim);
}

/// The list of the tensors that `stack` puts side by side along `dim`: shape(x)[dim] of them.
///     let rows = unstack([[1, 2], [3, 4]] as i32, dim = 0);
///     print(rows[0], rows[1]);    // [1, 2] [3, 4]
fn unstack(x, dim = -1) {
    var parts = [];
    for i in 0..shape(x)[dim] { parts = parts + [element_along(x, at = i, dim = dim)]; }
    return parts;
}

/// Elements `by` places further along `dim`; what leaves at the end comes in at the beginning.
///     print(roll(iota(4), 1), roll(iota(4), -1));    // [3, 0, 1, 2] [1, 2, 3, 0]
fn roll(x, by: int, dim = -1) {
    let n = shape(x)[dim];
    let first = if n > 0 => by - n * floor_div(by, n) else 0;
    if is_known(first) && first == 0 { return x; }
    let head = pad_along(x, n = n, before = first - n, dim = dim);
    let tail = pad_along(x, n = n, before = first, dim = dim);
    return joined(head, tail, at = first, dim = dim);
}

// x with a dimension in front of dimension d, or behind it, along which it is alike, in one with that.
fn with_copies(x, times: int, d: int, behind: int) {
    var (apart, joined) = ([], []);
    for i in 0..rank(x) {
        let n = shape(x)[i];
        if i != d { apart = apart + [n]; } else if behind == 1 { apart = apart + [n, times]; } else { apart = apart + [times, n]; }
        joined = joined + [if i == d => n * times else n];
    }
    return reshape(broadcast(unsqueeze(x, dim = d + behind), apart), joined);
}

/// Each element along `dim`, `times` times in a row.
///     print(repeat([1, 2] as i32, 3));    // [1, 1, 1, 2, 2, 2]
fn repeat(x, times: int, dim = -1) {
    assert(times >= 0, message = "`repeat` takes a number of times that is not negative");
    return with_copies(x, times, if dim < 0 => dim + rank(shape(x)) else dim, 1);
}

/// x side by side with itself, times[d] times along dimension d: [n, m] -> [times[0] n, times[1] m]. Numbers beyond the dimensions of x are for new ones in
/// front.
///     print(tile([[1, 2]] as i32, [2, 2]));
///     // [[1, 2, 1, 2],
///     //  [1, 2, 1, 2]]
fn tile(x, times: list) {
    assert(length(times) >= rank(shape(x)), message = "`tile` takes a number for each dimension, and more in front for new ones");
    var y = x;
    for d in rank(shape(x))..length(times) { y = unsqueeze(y, dim = 0); }
    for d in 0..length(times) {
        assert(times[d] >= 0, message = "`tile` takes numbers of times that are not negative");
        if times[d] != 1 { y = with_copies(y, times[d], d, 0); }
    }
    return y;
}

/// The coordinates of a grid: of lines [n], [m], … a list of tensors [n, m, …], part d alike but along dimension d.
///     let (y, x) = (meshgrid([iota(2), iota(3)])[0], meshgrid([iota(2), iota(3)])[1]);
///     print(y, x);
///     // [[0, 0, 0],
///     //  [1, 1, 1]] [[0, 1, 2],
///     //  [0, 1, 2]]
fn meshgrid(lines: list) {
    var sizes = [];
    for x in lines { sizes = sizes + [shape(x)[0]]; }
    var parts = [];
    for d in 0..length(lines) {
        var y = lines[d];
        for i in d + 1..length(lines) { y = unsqueeze(y); }
        parts = parts + [broadcast(y, sizes)];
    }
    return parts;
}

/// The differences of neighbours along `dim`: [.., n] -> [.., n - 1].
///     print(diff([1, 4, 9] as i32));    // [3, 5]
fn diff(x, dim = -1) {
    let n = shape(x)[dim] - 1;
    return pad_along(x, n = n, before = -1, dim = dim) - pad_along(x, n = n, before = 0, dim = dim);
}

/// The area below a line through points along `dim`, dx apart or at the places x[n] or x[.., n]: [.., n] -> [..].
///     print(trapezoid([1.0, 2.0, 3.0] as f32), trapezoid([1.0, 3.0] as f32, x = [0.0, 4.0] as f32));    // 4 8
fn trapezoid(y, x = none, dx = 1.0, dim = -1) {
    let n = shape(y)[dim];
    if n == 0 { return sum(y, dim = dim); }
    let heights = part_along(y, 1, n - 1, dim) + part_along(y, 0, n - 1, dim);
    if x == none { return 0.5 * dx * sum(heights, dim = dim); }
    let widths = diff(x, dim = if rank(x) == 1 => -1 else dim);
    return 0.5 * sum(if rank(x) == 1 => scaled_along(heights, widths, dim = dim) else heights * widths, dim = dim);
}

op filled_outside(a[.., n], v[], from: int, end: int) -> [.., n] = if n >= from && n < end => a else v;

// So many elements along dim from number `from` on.
fn part_along(x, from: int, count: int, dim) { return pad_along(x, n = count, before = -from, dim = dim); }

/// Elements before and after, along `dim`: zeros (false), or `value`. mode = "reflect": what stands beside the first and the last, mirrored; "symmetric":
/// mirrored with the first and the last themselves; "edge": the first and the last again; "wrap": as if x came again and again.
///     print(pad([1, 2] as i32, before = 1, after = 2), pad([1, 2] as i32, after = 1, value = 9));    // [0, 1, 2, 0, 0] [1, 2, 9]
///     let x = [1, 2, 3] as i32;
///     print(pad(x, 1, 2, mode = "reflect"), pad(x, 1, 1, mode = "edge"), pad(x, 1, 1, mode = "wrap"));    // [2, 1, 2, 3, 2, 1] [1, 1, 2, 3, 3] [3, 1, 2, 3, 1]
///     print(pad(x, 2, 1, mode = "symmetric"));    // [2, 1, 1, 2, 3, 3]
fn pad(x, before: int = 0, after: int = 0, dim = -1, value = none, mode: string = "value") {
    assert(mode == "value" || mode == "reflect" || mode == "symmetric" || mode == "edge" || mode == "wrap",
           message = "a mode of `pad` is \"reflect\", \"symmetric\", \"edge\" or \"wrap\"; without one there are zeros, or `value`");
    if mode != "value" { return beside_itself(x, before, after, dim, mode); }
    let n = shape(x)[dim];
    let y = pad_along(x, n = before + n + after, before = before, dim = dim);
    if value == none { return y; }
    if x.dtype != bool && is_known(value) { if value == 0 { return y; } }
    return filled_outside(y, value, from = before, end = before + n, dim = dim);
}

fn beside_itself(x, before: int, after: int, dim, mode: string) {
    let n = shape(x)[dim];
    let most = if mode == "reflect" => n - 1 else if mode == "edge" => before + after else n;
    assert(before >= 0 && after >= 0, message = "with a mode `pad` takes nothing off");
    assert(n > 0 && before <= most && after <= most, message = "`pad` mirrors less than there is beside an end, and begins again once");
    if mode == "edge" {
        return concat([repeat(part_along(x, 0, 1, dim), before, dim), x, repeat(part_along(x, n - 1, 1, dim), after, dim)], dim = dim);
    }
    if mode == "wrap" { return concat([part_along(x, n - before, before, dim), x, part_along(x, 0, after, dim)], dim = dim); }
    let outer = if mode == "reflect" => 1 else 0;          // how many elements at each end are not repeated
    return concat([flip(part_along(x, outer, before, dim), dim = dim), x, flip(part_along(x, n - outer - after, after, dim), dim = dim)], dim = dim);
}

op lower(a[.., i, j], last: int) -> [.., i, j] = if j - i <= last => a else 0;
op upper(a[.., i, j], first: int) -> [.., i, j] = if j - i >= first => a else 0;
op lower_of_bools(a[.., i, j]: bool, last: int) -> [.., i, j] = a && j - i <= last;
op upper_of_bools(a[.., i, j]: bool, first: int) -> [.., i, j] = a && j - i >= first;

/// The last two dimensions up to a diagonal (0: the main one, 1: the one above it), 0, or false, above that.
///     print(tril(ones([3, 3])));
///     // [[1, 0, 0],
///     //  [1, 1, 0],
///     //  [1, 1, 1]]
fn tril(x, diagonal: int = 0) {
    return if x.dtype == bool => lower_of_bools(x, last = diagonal) else lower(x, last = diagonal);
}

/// The last two dimensions from a diagonal on, 0, or false, below that.
///     print(triu(ones([3, 3]), diagonal = 1));
///     // [[0, 1, 1],
///     //  [0, 0, 1],
///     //  [0, 0, 0]]
fn triu(x, diagonal: int = 0) {
    return if x.dtype == bool => upper_of_bools(x, first = diagonal) else upper(x, first = diagonal);
}

op main_diagonal(a[.., i, i]) -> [.., i] = a;
op diagonal_at(a[.., i, j], n: int, below: int, right: int) -> [.., n] = a[.., n + below, n + right];

/// A diagonal of the last two dimensions, the main one (0), the one above it (1), …: [.., n, m] -> [.., as many as there are].
///     print(diagonal([[1, 2], [3, 4]] as i32), diagonal([[1, 2, 3], [4, 5, 6]] as i32, offset = 1));    // [1, 4] [2, 6]
fn diagonal(x, offset: int = 0) {
    let (n, m) = (shape(x)[-2], shape(x)[-1]);
    if offset == 0 && n == m { return main_diagonal(x); }
    let (below, right) = (max(-offset, 0), max(offset, 0));
    return diagonal_at(x, n = max(min(n - below, m - right), 0), below = below, right = right);
}
/// The sum of the diagonal: [.., n, n] -> [..].
///     print(trace([[1, 2], [3, 4]] as i32));    // 5
op trace(a[.., i, i]) -> [..] = sum[i] a;
op as_diagonal(a[.., i], n: int) -> [.., i, n] = if i == n => a else 0;
op bools_as_diagonal(a[.., i]: bool, n: int) -> [.., i, n] = a && i == n;

/// Matrices with the lines of x on their diagonals, 0 elsewhere: [.., n] -> [.., n, n]; on the one above the main diagonal (1), …, of as many more rows
/// and columns.
///     print(diag([1, 2] as i32));
///     // [[1, 0],
///     //  [0, 2]]
///     print(diag([7] as i32, offset = -1));
///     // [[0, 0],
///     //  [7, 0]]
fn diag(x, offset: int = 0) {
    let n = shape(x)[-1];
    let y = if x.dtype == bool => bools_as_diagonal(x, n = n) else as_diagonal(x, n = n);
    if offset == 0 { return y; }
    let (below, right) = (max(-offset, 0), max(offset, 0));
    let rows = pad(y, before = below, after = right, dim = -2);
    return pad(rows, before = right, after = below);
}

/// All dimensions but the first in one: [n, ..] -> [n, m].
///     print(shape(flatten(ones([2, 3, 4]))));    // [2, 12]
fn flatten(x) {
    return reshape(x, [shape(x)[0], -1]);
}
