// windows.pml — windows over sequences [n, channels, t], images [n, channels, height, width] and volumes, and other sizes of them. What is mostly used,
// conv2d, conv1d, max_pool2d and their like, needs no module.
//
// The examples stand in `main` of a program that begins with
//
//     import std.windows;

// ---- convolutions

op conv3d_at(x[n, g, c, t, h, v], w[g, o, c, r, p, q], a: int, y: int, z: int, along: int, down: int, right: int, before: int, above: int,
             left: int, long: int, tall: int, wide: int) -> [n, g, o, a, y, z]
    = sum[c, r, p, q] x[n, g, c, along * a + long * r - before, down * y + tall * p - above, right * z + wide * q - left] * w;
op conv_transpose1d_at(x[n, g, c, t], w[g, c, o, p], y: int, stride: int, pad: int, dilation: int) -> [n, g, o, y]
    = sum[c, p] x[n, g, c, (y + pad - dilation * p) / stride] * w;
op conv_transpose3d_at(x[n, g, c, t, h, v], w[g, c, o, r, p, q], a: int, y: int, z: int, along: int, down: int, right: int, before: int, above: int, left: int,
                       long: int, tall: int, wide: int) -> [n, g, o, a, y, z]
    = sum[c, r, p, q] x[n, g, c, (a + before - long * r) / along, (y + above - tall * p) / down, (z + left - wide * q) / right] * w;

/// x[n, c, t, h, v] with filters w[o, c / groups, r, p, q] -> [n, o, (t + 2 pad - dilation (r - 1) - 1) / stride + 1, ...]; groups as of conv2d.
/// stride, pad and dilation may be lists, of a number for each of t, h and v.
///     print(windows.conv3d(reshape(iota(8), [1, 1, 2, 2, 2]) as f32, ones([1, 1, 2, 2, 1])));
///     // [[[[[12, 16]]]]]
fn conv3d(x, w, stride = 1, pad = 0, dilation = 1, groups: int = 1) {
    let (n, c, t, h, v) = shape(x);
    let (o, d, r, p, q) = shape(w);
    let (along, down, right) = for_each(stride, 3);
    let (before, above, left) = for_each(pad, 3);
    let (long, tall, wide) = for_each(dilation, 3);
    let a = windows_along(t, r, along, before, long);
    let y = windows_along(h, p, down, above, tall);
    let z = windows_along(v, q, right, left, wide);
    assert(groups > 0 && c % groups == 0 && o % groups == 0 && d * groups == c, message = "`groups` divides the channels and the filters, which are w[o, c / groups, r, p, q]");
    let xs = reshape(x, [n, groups, c / groups, t, h, v]);
    let ws = reshape(w, [groups, o / groups, d, r, p, q]);
    return reshape(conv3d_at(xs, ws, a = a, y = y, z = z, along = along, down = down, right = right, before = before, above = above, left = left,
                             long = long, tall = tall, wide = wide), [n, o, a, y, z]);
}

// Of a transposed convolution: channels and filters in groups.
fn in_groups(x, w, groups: int) {
    let c = shape(x)[1];
    assert(groups > 0 && c % groups == 0 && shape(w)[0] == c, message = "`groups` divides the channels, of which there are as many as filters, w[c, o / groups, ...]");
    return (reshape(x, [shape(x)[0], groups, c / groups] + shape(x)[2..]), reshape(w, [groups, c / groups] + shape(w)[1..]));
}

/// What conv1d does to a derivative: x[n, c, t] with w[c, o / groups, p] -> [n, o, (t - 1) stride - 2 pad + dilation (p - 1) + 1 + after]. Of the sizes
/// that conv1d brings to t, `after` says which.
///     print(windows.conv_transpose1d([[[1.0, 2.0]]] as f32, [[[1.0, 10.0, 100.0]]] as f32, stride = 2));    // [[[1, 10, 102, 20, 200]]]
fn conv_transpose1d(x, w, stride: int = 1, pad: int = 0, after: int = 0, dilation: int = 1, groups: int = 1) {
    let y = spread_along(shape(x)[2], shape(w)[2], stride, pad, after, dilation);
    let (xs, ws) = in_groups(x, w, groups);
    return reshape(conv_transpose1d_at(xs, ws, y = y, stride = stride, pad = pad, dilation = dilation), [shape(x)[0], groups * shape(w)[1], y]);
}

/// What conv3d does to a derivative: x[n, c, t, h, v] with w[c, o / groups, r, p, q] -> [n, o, (t - 1) stride - 2 pad + dilation (r - 1) + 1 + after, ...].
/// All but groups may be lists, as those of conv3d.
///     print(shape(windows.conv_transpose3d(ones([1, 2, 2, 2, 2]), ones([2, 4, 2, 2, 2]), stride = 2)));    // [1, 4, 4, 4, 4]
fn conv_transpose3d(x, w, stride = 1, pad = 0, after = 0, dilation = 1, groups: int = 1) {
    let (along, down, right) = for_each(stride, 3);
    let (before, above, left) = for_each(pad, 3);
    let (long, tall, wide) = for_each(dilation, 3);
    let more = for_each(after, 3);
    let a = spread_along(shape(x)[2], shape(w)[2], along, before, more[0], long);
    let y = spread_along(shape(x)[3], shape(w)[3], down, above, more[1], tall);
    let z = spread_along(shape(x)[4], shape(w)[4], right, left, more[2], wide);
    let (xs, ws) = in_groups(x, w, groups);
    return reshape(conv_transpose3d_at(xs, ws, a = a, y = y, z = z, along = along, down = down, right = right, before = before, above = above, left = left,
                                       long = long, tall = tall, wide = wide), [shape(x)[0], groups * shape(w)[1], a, y, z]);
}

// ---- pools

op max_pool1d_at(x[n, c, t], p: int, y: int, stride: int, pad: int) -> [n, c, y] = max[p] x[n, c, stride * y + p - pad];
op sum_pool1d_at(x[n, c, t], p: int, y: int, stride: int, pad: int) -> [n, c, y] = sum[p] x[n, c, stride * y + p - pad];
op avg_pool1d_at(x[n, c, t], p: int, y: int, stride: int, pad: int) -> [n, c, y] = mean[p] x[n, c, stride * y + p - pad];
op max_pool3d_at(x[n, c, t, h, v], r: int, p: int, q: int, a: int, y: int, z: int, along: int, down: int, right: int, before: int, above: int, left: int)
    -> [n, c, a, y, z] = max[r, p, q] x[n, c, along * a + r - before, down * y + p - above, right * z + q - left];
op sum_pool3d_at(x[n, c, t, h, v], r: int, p: int, q: int, a: int, y: int, z: int, along: int, down: int, right: int, before: int, above: int, left: int)
    -> [n, c, a, y, z] = sum[r, p, q] x[n, c, along * a + r - before, down * y + p - above, right * z + q - left];
op avg_pool3d_at(x[n, c, t, h, v], r: int, p: int, q: int, a: int, y: int, z: int, along: int, down: int, right: int, before: int, above: int, left: int)
    -> [n, c, a, y, z] = mean[r, p, q] x[n, c, along * a + r - before, down * y + p - above, right * z + q - left];

/// The largest of every window: [n, c, t] -> [n, c, (t + 2 pad - size) / stride + 1]. What pad adds is never the largest.
///     print(windows.max_pool1d([[[1.0, 3.0, 2.0, 0.0]]] as f32));    // [[[3, 2]]]
fn max_pool1d(x, size: int = 2, stride: int = 2, pad: int = 0) {
    return max_pool1d_at(x, p = size, y = windows_along(shape(x)[2], size, stride, pad), stride = stride, pad = pad);
}

/// The mean of every window; what pad adds is 0, with padded = false left out.
///     print(windows.avg_pool1d([[[1.0, 3.0, 2.0, 0.0]]] as f32));    // [[[2, 1]]]
fn avg_pool1d(x, size: int = 2, stride: int = 2, pad: int = 0, padded: bool = true) {
    let y = windows_along(shape(x)[2], size, stride, pad);
    if padded { return avg_pool1d_at(x, p = size, y = y, stride = stride, pad = pad); }
    let there = sum_pool1d_at(ones([1, 1, shape(x)[2]], dtype = x.dtype), p = size, y = y, stride = stride, pad = pad);
    return sum_pool1d_at(x, p = size, y = y, stride = stride, pad = pad) / there;
}

// f over windows of x.
fn pool3d(f, x, size, stride, pad) {
    let (r, p, q) = for_each(size, 3);
    let (along, down, right) = for_each(stride, 3);
    let (before, above, left) = for_each(pad, 3);
    return f(x, r = r, p = p, q = q, a = windows_along(shape(x)[2], r, along, before), y = windows_along(shape(x)[3], p, down, above),
             z = windows_along(shape(x)[4], q, right, left), along = along, down = down, right = right, before = before, above = above, left = left);
}

/// The largest of every window of size * size * size: [n, c, t, h, v] -> [n, c, (t + 2 pad - size) / stride + 1, ...]. size, stride and pad may be lists, of
/// a number for each of t, h and v.
///     print(windows.max_pool3d(reshape(iota(8), [1, 1, 2, 2, 2]) as f32));    // [[[[[7]]]]]
fn max_pool3d(x, size = 2, stride = 2, pad = 0) {
    return pool3d(max_pool3d_at, x, size, stride, pad);
}

/// The mean of every window of size * size * size; what pad adds is 0, with padded = false left out. size, stride and pad may be lists.
///     print(windows.avg_pool3d(reshape(iota(8), [1, 1, 2, 2, 2]) as f32));    // [[[[[3.5]]]]]
fn avg_pool3d(x, size = 2, stride = 2, pad = 0, padded: bool = true) {
    if padded { return pool3d(avg_pool3d_at, x, size, stride, pad); }
    let there = ones([1, 1] + shape(x)[2..], dtype = x.dtype);
    return pool3d(sum_pool3d_at, x, size, stride, pad) / pool3d(sum_pool3d_at, there, size, stride, pad);
}

// Part n of so many, which begins at floor(n size / parts) and ends before ceil((n + 1) size / parts).
op mean_of_part(a[.., k], n: int, size: int, parts: int, dtype: dtype) -> [.., n]
    = sum[k] (if k >= floor_div(n * size, parts) && k * parts < (n + 1) * size
        => a / (floor_div((n + 1) * size + parts - 1, parts) - floor_div(n * size, parts)) as dtype else 0);
op max_of_part(a[.., k], n: int, size: int, parts: int) -> [.., n]
    = max[k] (if k >= floor_div(n * size, parts) && k * parts < (n + 1) * size => a else -inf);

/// Means of as many parts as `sizes` says of the last dimensions, which need not divide them, and may have an element in common:
/// sizes = [h, w]: [n, c, height, width] -> [n, c, h, w].
///     print(windows.adaptive_avg_pool([[[1.0, 2.0, 6.0]]] as f32, [2]));    // [[[1.5, 4]]]
fn adaptive_avg_pool(x, sizes: list) {
    var y = x;
    for i in 0..length(sizes) {
        let d = i - length(sizes);
        assert(sizes[i] > 0, message = "there is at least one part along each dimension");
        y = mean_of_part(y, n = sizes[i], size = shape(x)[d], parts = sizes[i], dtype = x.dtype, dim = d);
    }
    return y;
}

/// The largest elements of such parts.
///     print(windows.adaptive_max_pool([[[1.0, 2.0, 6.0]]] as f32, [2]));    // [[[2, 6]]]
fn adaptive_max_pool(x, sizes: list) {
    var y = x;
    for i in 0..length(sizes) {
        let d = i - length(sizes);
        assert(sizes[i] > 0, message = "there is at least one part along each dimension");
        y = max_of_part(y, n = sizes[i], size = shape(x)[d], parts = sizes[i], dim = d);
    }
    return y;
}

// ---- windows as columns

op unfolded(x[n, c, h, v], p: int, q: int, y: int, z: int, down: int, right: int, above: int, left: int, tall: int, wide: int) -> [n, c, p, q, y, z]
    = x[n, c, down * y + tall * p - above, right * z + wide * q - left];
op folded(a[n, c, p, q, y, z], h: int, v: int, down: int, right: int, above: int, left: int, tall: int, wide: int) -> [n, c, h, v]
    = sum[p, q] a[n, c, p, q, (h + above - tall * p) / down, (v + left - wide * q) / right];

/// Windows of size * size, one a column: [n, c, h, v] -> [n, c * size * size, windows], which lie row by row; what pad adds is 0.
/// All four numbers may be lists, of one for h and one for v.
///     print(windows.unfold(reshape(iota(9), [1, 1, 3, 3]) as f32, 2));
///     // [[[0, 1, 3, 4],
///     //   [1, 2, 4, 5],
///     //   [3, 4, 6, 7],
///     //   [4, 5, 7, 8]]]
fn unfold(x, size, stride = 1, pad = 0, dilation = 1) {
    let (n, c, h, v) = shape(x);
    let (p, q) = for_each(size, 2);
    let (down, right) = for_each(stride, 2);
    let (above, left) = for_each(pad, 2);
    let (tall, wide) = for_each(dilation, 2);
    let y = windows_along(h, p, down, above, tall);
    let z = windows_along(v, q, right, left, wide);
    let w = unfolded(x, p = p, q = q, y = y, z = z, down = down, right = right, above = above, left = left, tall = tall, wide = wide);
    return reshape(w, [n, c * p * q, y * z]);
}

/// Such columns added up where their windows lie: [n, c * size * size, windows] -> [n, c, height, width]. What `unfold` does to a derivative.
///     print(windows.fold(ones([1, 4, 4]), 3, 3, 2));
///     // [[[[1, 2, 1],
///     //    [2, 4, 2],
///     //    [1, 2, 1]]]]
fn fold(a, height: int, width: int, size, stride = 1, pad = 0, dilation = 1) {
    let (n, k, l) = shape(a);
    let (p, q) = for_each(size, 2);
    let (down, right) = for_each(stride, 2);
    let (above, left) = for_each(pad, 2);
    let (tall, wide) = for_each(dilation, 2);
    let y = windows_along(height, p, down, above, tall);
    let z = windows_along(width, q, right, left, wide);
    assert(k % (p * q) == 0 && l == y * z, message = "a column is size * size elements of each channel, and there is one for each window");
    return folded(reshape(a, [n, k / (p * q), p, q, y, z]), h = height, v = width, down = down, right = right, above = above, left = left, tall = tall, wide = wide);
}

op of_pixels(x[n, c, p, q, h, v]) -> [n, c, h, p, v, q] = x;
op to_pixels(x[n, c, h, p, v, q]) -> [n, c, p, q, h, v] = x;

/// Channels as pixels, `times` by `times` of each (Shi et al., 2016): [n, c * times * times, h, v] -> [n, c, h * times, v * times].
///     print(windows.pixel_shuffle(reshape(iota(4), [1, 4, 1, 1]), 2));
///     // [[[[0, 1],
///     //    [2, 3]]]]
fn pixel_shuffle(x, times: int) {
    let (n, c, h, v) = shape(x);
    assert(times > 0 && c % (times * times) == 0, message = "the channels are a multiple of times * times");
    let k = c / (times * times);
    return reshape(of_pixels(reshape(x, [n, k, times, times, h, v])), [n, k, h * times, v * times]);
}

/// The other way round: [n, c, h * times, v * times] -> [n, c * times * times, h, v].
///     print(shape(windows.pixel_unshuffle(ones([1, 3, 4, 6]), 2)));    // [1, 12, 2, 3]
fn pixel_unshuffle(x, times: int) {
    let (n, c, h, v) = shape(x);
    assert(times > 0 && h % times == 0 && v % times == 0, message = "`times` divides height and width");
    return reshape(to_pixels(reshape(x, [n, c, h / times, times, v / times, times])), [n, c * times * times, h / times, v / times]);
}

// ---- other sizes

op between_lines(a[.., k], b[.., k], share[k]) -> [.., k] = a + share * (b - a);

// Where line i of so many lies among n, and which lines are before and behind it.
fn places(n: int, parts: int, aligned: bool) {
    let i = iota(parts) as f64;
    let x = if aligned => i * ((n - 1.0) / max(parts - 1, 1)) else max((i + 0.5) * (1.0 * n / parts) - 0.5, 0.0);
    let low = min(floor(x), n - 1.0);
    return (low as i32, min(low + 1.0, n - 1.0) as i32, x - low);
}

fn interpolated[t: float](x: t[..], parts: int, aligned: bool, d: int) {
    let (low, high, share) = places(shape(x)[d], parts, aligned);
    return between_lines(take(x, low, dim = d), take(x, high, dim = d), share as t, dim = d);
}

fn nearest(x, parts: int, d: int) {
    let n = shape(x)[d];
    return take(x, floor_div(iota(parts) * n, parts) as i32, dim = d);
}

/// The last dimensions in the sizes given, by straight lines between neighbours: sizes = [h, w]: [n, c, height, width] -> [n, c, h, w], which is bilinear;
/// as many sizes as there are dimensions to change. Elements are squares that fill an image; aligned = true: they are points, and the outer ones stay
/// the outer ones. smooth = false: by the nearest element before.
///     print(windows.resize([[[0.0, 4.0]]] as f32, [4]), windows.resize([[[0.0, 4.0]]] as f32, [3], aligned = true));    // [[[0, 1, 3, 4]]] [[[0, 2, 4]]]
///     print(windows.resize([[[0, 4]]] as i32, [4], smooth = false));    // [[[0, 0, 4, 4]]]
fn resize(x, sizes: list, smooth: bool = true, aligned: bool = false) {
    var y = x;
    for i in 0..length(sizes) {
        let d = i - length(sizes);
        if sizes[i] != shape(x)[d] { y = if smooth => interpolated(y, sizes[i], aligned, d) else nearest(y, sizes[i], d); }
    }
    return y;
}
