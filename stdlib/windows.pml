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

op max_pool1d_at(x[n, c, t], p: int, y: int, stride: int, pad: int, dilation: int) -> [n, c, y] = max[p] x[n, c, stride * y + dilation * p - pad];
op sum_pool1d_at(x[n, c, t], p: int, y: int, stride: int, pad: int) -> [n, c, y] = sum[p] x[n, c, stride * y + p - pad];
op avg_pool1d_at(x[n, c, t], p: int, y: int, stride: int, pad: int) -> [n, c, y] = mean[p] x[n, c, stride * y + p - pad];
op max_pool3d_at(x[n, c, t, h, v], r: int, p: int, q: int, a: int, y: int, z: int, along: int, down: int, right: int, before: int, above: int, left: int,
                 deep: int, tall: int, wide: int)
    -> [n, c, a, y, z] = max[r, p, q] x[n, c, along * a + deep * r - before, down * y + tall * p - above, right * z + wide * q - left];
op sum_pool3d_at(x[n, c, t, h, v], r: int, p: int, q: int, a: int, y: int, z: int, along: int, down: int, right: int, before: int, above: int, left: int)
    -> [n, c, a, y, z] = sum[r, p, q] x[n, c, along * a + r - before, down * y + p - above, right * z + q - left];
op avg_pool3d_at(x[n, c, t, h, v], r: int, p: int, q: int, a: int, y: int, z: int, along: int, down: int, right: int, before: int, above: int, left: int)
    -> [n, c, a, y, z] = mean[r, p, q] x[n, c, along * a + r - before, down * y + p - above, right * z + q - left];

/// The largest of every window: [n, c, t] -> [n, c, (t + 2 pad - dilation (size - 1) - 1) / stride + 1]; ceil as that of max_pool2d. What pad adds is never
/// the largest.
///     print(windows.max_pool1d([[[1.0, 3.0, 2.0, 0.0]]] as f32));    // [[[3, 2]]]
fn max_pool1d(x, size: int = 2, stride: int = 2, pad: int = 0, dilation: int = 1, ceil: bool = false) {
    return max_pool1d_at(x, p = size, y = windows_along(shape(x)[2], size, stride, pad, dilation, ceil), stride = stride, pad = pad, dilation = dilation);
}

/// The mean of every window; what pad adds is 0, with padded = false left out; ceil as that of avg_pool2d.
///     print(windows.avg_pool1d([[[1.0, 3.0, 2.0, 0.0]]] as f32));    // [[[2, 1]]]
fn avg_pool1d(x, size: int = 2, stride: int = 2, pad: int = 0, padded: bool = true, ceil: bool = false) {
    let t = shape(x)[2];
    let y = windows_along(t, size, stride, pad, ceil = ceil);
    if padded && !ceil { return avg_pool1d_at(x, p = size, y = y, stride = stride, pad = pad); }
    let more = if padded => pad else 0;
    let there = sum_pool1d_at(ones([1, 1, t + 2 * more], dtype = x.dtype), p = size, y = y, stride = stride, pad = pad - more);
    return sum_pool1d_at(x, p = size, y = y, stride = stride, pad = pad) / there;
}

/// The largest of every window of size * size * size: [n, c, t, h, v] -> [n, c, (t + 2 pad - dilation (size - 1) - 1) / stride + 1, ...]. size, stride, pad
/// and dilation may be lists, of a number for each of t, h and v; ceil as that of max_pool2d.
///     print(windows.max_pool3d(reshape(iota(8), [1, 1, 2, 2, 2]) as f32));    // [[[[[7]]]]]
fn max_pool3d(x, size = 2, stride = 2, pad = 0, dilation = 1, ceil: bool = false) {
    let (r, p, q) = for_each(size, 3);
    let (along, down, right) = for_each(stride, 3);
    let (before, above, left) = for_each(pad, 3);
    let (deep, tall, wide) = for_each(dilation, 3);
    let (a, y, z) = windows3d(x, [r, p, q], [along, down, right], [before, above, left], [deep, tall, wide], ceil);
    return max_pool3d_at(x, r = r, p = p, q = q, a = a, y = y, z = z, along = along, down = down, right = right, before = before, above = above, left = left,
                         deep = deep, tall = tall, wide = wide);
}
fn windows3d(x, size: list, stride: list, pad: list, dilation: list, ceil: bool) {
    let (t, h, v) = (shape(x)[2], shape(x)[3], shape(x)[4]);
    return (windows_along(t, size[0], stride[0], pad[0], dilation[0], ceil), windows_along(h, size[1], stride[1], pad[1], dilation[1], ceil),
            windows_along(v, size[2], stride[2], pad[2], dilation[2], ceil));
}

/// The mean of every window of size * size * size; what pad adds is 0, with padded = false left out. size, stride and pad may be lists; ceil as that of
/// avg_pool2d.
///     print(windows.avg_pool3d(reshape(iota(8), [1, 1, 2, 2, 2]) as f32));    // [[[[[3.5]]]]]
fn avg_pool3d(x, size = 2, stride = 2, pad = 0, padded: bool = true, ceil: bool = false) {
    let (along, down, right) = for_each(stride, 3);
    let (before, above, left) = for_each(pad, 3);
    let (r, p, q) = for_each(size, 3);
    let (a, y, z) = windows3d(x, [r, p, q], [along, down, right], [before, above, left], [1, 1, 1], ceil);
    if padded && !ceil {
        return avg_pool3d_at(x, r = r, p = p, q = q, a = a, y = y, z = z, along = along, down = down, right = right, before = before, above = above, left = left);
    }
    let (l, m, n) = if padded => (before, above, left) else (0, 0, 0);
    let ones_there = ones([1, 1, shape(x)[2] + 2 * l, shape(x)[3] + 2 * m, shape(x)[4] + 2 * n], dtype = x.dtype);
    let there = sum_pool3d_at(ones_there, r = r, p = p, q = q, a = a, y = y, z = z, along = along, down = down, right = right, before = before - l,
                              above = above - m, left = left - n);
    return sum_pool3d_at(x, r = r, p = p, q = q, a = a, y = y, z = z, along = along, down = down, right = right, before = before, above = above, left = left) / there;
}

// Part n of so many begins at floor(n size / parts) and ends before ceil((n + 1) size / parts): where its element t is, or -1, and how many there are.
op places_of_part(n: int, t: int, size: int, parts: int) -> [n, t]
    = (if t < floor_div((n + 1) * size + parts - 1, parts) - floor_div(n * size, parts) => floor_div(n * size, parts) + t else -1) as i32;
op count_of_part(n: int, size: int, parts: int, dtype: dtype) -> [n] = (floor_div((n + 1) * size + parts - 1, parts) - floor_div(n * size, parts)) as dtype;
op mean_of_part(a[.., k], at[n, t]: int, count[n]) -> [.., n] = sum[t] a[.., at?] / count;
op max_of_part(a[.., k], at[n, t]: int) -> [.., n] = max[t] a[.., at?];

/// Means of as many parts as `sizes` says of the last dimensions, which need not divide them, and may have an element in common:
/// sizes = [h, w]: [n, c, height, width] -> [n, c, h, w].
///     print(windows.adaptive_avg_pool([[[1.0, 2.0, 6.0]]] as f32, [2]));    // [[[1.5, 4]]]
fn adaptive_avg_pool(x, sizes: list) {
    var y = x;
    for i in 0..length(sizes) {
        let d = i - length(sizes);
        let (size, n) = (shape(x)[d], sizes[i]);
        y = mean_of_part(y, places_of(n, size), count_of_part(n, size, n, dtype = x.dtype), dim = d);
    }
    return y;
}

/// The largest elements of such parts.
///     print(windows.adaptive_max_pool([[[1.0, 2.0, 6.0]]] as f32, [2]));    // [[[2, 6]]]
fn adaptive_max_pool(x, sizes: list) {
    var y = x;
    for i in 0..length(sizes) {
        let d = i - length(sizes);
        let (size, n) = (shape(x)[d], sizes[i]);
        y = max_of_part(y, places_of(n, size), dim = d);
    }
    return y;
}

// Of as many columns as the longest of n parts of `size` elements has.
fn places_of(n: int, size: int) {
    assert(n > 0, message = "there is at least one part along each dimension");
    let even = floor_div(size, n);
    return places_of_part(n, if size % n == 0 => even else min(size, even + 2), size, n);
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

// The four lines around it, by cubic convolution (Keys, 1981; a = -0.75): a line at distance t weighs (a + 2) t^3 - (a + 3) t^2 + 1 up to 1, and up to 2
// a (t^3 - 5 t^2 + 8 t - 4). Beyond the ends the outer lines go on.
op near_weight(t[..]) -> [..] = (1.25 * t - 2.25) * t * t + 1;
op far_weight(t[..]) -> [..] = -0.75 * (((t - 5) * t + 8) * t - 4);
op added_lines(a[.., k], b[.., k], c[.., k], e[.., k], p[k], q[k], r[k], s[k]) -> [.., k] = p * a + q * b + r * c + s * e;
fn by_cubics[t: float](x: t[..], parts: int, aligned: bool, d: int) {
    let n = shape(x)[d];
    let i = iota(parts) as f64;
    let at = if aligned => i * ((n - 1.0) / max(parts - 1, 1)) else (i + 0.5) * (1.0 * n / parts) - 0.5;
    let low = floor(at);
    let share = at - low;
    var lines = [];
    for k in 0..4 { lines = lines + [take(x, min(max(low + (k - 1.0), 0.0), n - 1.0) as i32, dim = d)]; }
    return added_lines(lines[0], lines[1], lines[2], lines[3], far_weight(1.0 + share) as t, near_weight(share) as t, near_weight(1.0 - share) as t,
                       far_weight(2.0 - share) as t, dim = d);
}

fn nearest(x, parts: int, d: int) {
    let n = shape(x)[d];
    return take(x, floor_div(iota(parts) * n, parts) as i32, dim = d);
}

/// The last dimensions in the sizes given, by straight lines between neighbours: sizes = [h, w]: [n, c, height, width] -> [n, c, h, w], which is bilinear;
/// as many sizes as there are dimensions to change. Elements are squares that fill an image; aligned = true: they are points, and the outer ones stay
/// the outer ones. smooth = false: by the nearest element before; cubic = true: by cubics through four neighbours, which is bicubic.
///     print(windows.resize([[[0.0, 4.0]]] as f32, [4]), windows.resize([[[0.0, 4.0]]] as f32, [3], aligned = true));    // [[[0, 1, 3, 4]]] [[[0, 2, 4]]]
///     print(windows.resize([[[0, 4]]] as i32, [4], smooth = false));    // [[[0, 0, 4, 4]]]
///     print(windows.resize([[[0.0, 4.0, 4.0]]] as f32, [6], cubic = true));    // [[[-0.421875, 0.90625, 3.09375, 4.42188, 4.14062, 4]]]
fn resize(x, sizes: list, smooth: bool = true, aligned: bool = false, cubic: bool = false) {
    assert(smooth || !cubic, message = "the nearest element is no cubic: one of `smooth = false` and `cubic = true`");
    var y = x;
    for i in 0..length(sizes) {
        let d = i - length(sizes);
        if sizes[i] != shape(x)[d] {
            if cubic { y = by_cubics(y, sizes[i], aligned, d); }
            else { y = if smooth => interpolated(y, sizes[i], aligned, d) else nearest(y, sizes[i], d); }
        }
    }
    return y;
}

// ---- elements at any place

op element_at(x[n, c, h, v], y[n, a, b]: int, z[n, a, b]: int) -> [n, c, a, b] = x[n, c, y?, z?];
// The number of an element of an image of h lines of v, -1 outside.
op number_in_image(y[..]: int, z[..]: int, h: int, v: int) -> [..] = if y >= 0 && y < h && z >= 0 && z < v => y * v + z else -1;
op weighted_at(x[n, c, p], number[n, k, a, b]: int, w[n, k, a, b]) -> [n, c, a, b] = sum[k] w * x[n, c, number?];
// From -1 to 1 to numbers of elements, of n.
fn number_at(g, n: int, aligned: bool, edge: bool) {
    let at = if aligned => (g + 1.0) * (0.5 * (n - 1)) else ((g + 1.0) * (1.0 * n) - 1.0) * 0.5;
    return if edge => clamp(at, 0.0, n - 1.0) else at;
}

/// What lies at the places of a grid: x[n, c, h, v], grid[n, a, b, 2] -> [n, c, a, b]. A place is a pair (along v, along h), each from -1 to 1, of the outer
/// edges of the image, of its outer elements if aligned = true. Between elements by straight lines, which is bilinear; smooth = false: the nearest. Outside
/// there are zeros; edge = true: the outer elements go on. Places have derivatives, too.
///     let grid = [[[[-1.0, -1.0], [0.0, 0.0], [1.0, 0.5]]]] as f32;
///     print(windows.grid_sample([[[[1.0, 2.0], [3.0, 4.0]]]] as f32, grid, aligned = true));    // [[[[1, 2.5, 3.5]]]]
fn grid_sample[n, c, h, v, a, b, t: float](x: t[n, c, h, v], grid: t[n, a, b, 2], smooth: bool = true, aligned: bool = false, edge: bool = false) {
    let y = number_at(grid[.., 1], shape(x)[2], aligned, edge);
    let z = number_at(grid[.., 0], shape(x)[3], aligned, edge);
    if !smooth { return element_at(x, round(y) as i32, round(z) as i32); }
    let (above, left) = (floor(y), floor(z));
    let (below, right) = (above + 1.0, left + 1.0);
    let position = if h * v < 2147483648 => i32 else i64;
    let (up, down, west, east) = (above as position, below as position, left as position, right as position);
    // The four neighbours of a place have numbers, which all channels share.
    let numbers = stack([number_in_image(up, west, h, v), number_in_image(up, east, h, v), number_in_image(down, west, h, v),
        number_in_image(down, east, h, v)], dim = 1);
    let weights = stack([(below - y) * (right - z), (below - y) * (z - left), (y - above) * (right - z), (y - above) * (z - left)], dim = 1);
    return weighted_at(reshape(x, [n, c, h * v]), numbers, weights);
}

fn marks(n: int, aligned: bool, dtype: dtype) {
    let i = iota(n) as f64;
    return (if aligned => i * (2.0 / max(n - 1, 1)) - 1.0 else (2.0 * i + 1.0) * (1.0 / n) - 1.0) as dtype;
}
op affine(m[n, d, e], v[b], h[a]) -> [n, a, b, d] = m[n, d, 0] * v + m[n, d, 1] * h + m[n, d, 2];

/// The places that an image of height * width elements has after an affine map of each of n images, for `grid_sample`: [n, 2, 3] -> [n, height, width, 2]. A
/// place (v, h) goes to m[.., 0] v + m[.., 1] h + m[.., 2].
///     print(windows.affine_grid([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.5]]] as f32, 1, 2));
///     // [[[[-0.5, 0.5],
///     //    [0.5, 0.5]]]]
fn affine_grid[n, t: float](m: t[n, 2, 3], height: int, width: int, aligned: bool = false) {
    return affine(m, marks(width, aligned, t), marks(height, aligned, t));
}
