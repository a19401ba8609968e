// images.pml — convolutions and pooling of images [n, channels, height, width].

op conv2d_at(x[n, c, h, v], w[o, c, p, q], y: int, z: int, down: int, right: int, above: int, left: int) -> [n, o, y, z]
    = sum[c, p, q] x[n, c, down * y + p - above, right * z + q - left] * w;
op max_pool2d_at(x[n, c, h, v], p: int, q: int, y: int, z: int, down: int, right: int, above: int, left: int, tall: int, wide: int) -> [n, c, y, z]
    = max[p, q] x[n, c, down * y + tall * p - above, right * z + wide * q - left];
op avg_pool2d_at(x[n, c, h, v], p: int, q: int, y: int, z: int, down: int, right: int, above: int, left: int) -> [n, c, y, z]
    = mean[p, q] x[n, c, down * y + p - above, right * z + q - left];
op sum_pool2d_at(x[n, c, h, v], p: int, q: int, y: int, z: int, down: int, right: int, above: int, left: int) -> [n, c, y, z]
    = sum[p, q] x[n, c, down * y + p - above, right * z + q - left];

op conv2d_grouped(x[n, g, c, h, v], w[g, o, c, p, q], y: int, z: int, down: int, right: int, above: int, left: int, tall: int, wide: int) -> [n, g, o, y, z]
    = sum[c, p, q] x[n, g, c, down * y + tall * p - above, right * z + wide * q - left] * w;
op conv1d_at(x[n, c, t], w[o, c, p], y: int, stride: int, pad: int, dilation: int) -> [n, o, y]
    = sum[c, p] x[n, c, stride * y + dilation * p - pad] * w;
op conv1d_grouped(x[n, g, c, t], w[g, o, c, p], y: int, stride: int, pad: int, dilation: int) -> [n, g, o, y]
    = sum[c, p] x[n, g, c, stride * y + dilation * p - pad] * w;
op conv_transpose2d_at(x[n, c, h, v], w[c, o, p, q], y: int, z: int, down: int, right: int, above: int, left: int) -> [n, o, y, z]
    = sum[c, p, q] x[n, c, (y + above - p) / down, (z + left - q) / right] * w;
op conv_transpose2d_grouped(x[n, g, c, h, v], w[g, c, o, p, q], y: int, z: int, down: int, right: int, above: int, left: int, tall: int, wide: int)
    -> [n, g, o, y, z] = sum[c, p, q] x[n, g, c, (y + above - tall * p) / down, (z + left - wide * q) / right] * w;

// One number for each of so many dimensions: those of a list, or the same for all.
fn for_each(v, dims: int) {
    assert(!is_list(v) || length(v) == dims, message = "a list of sizes, strides, pads and the like has a number for each dimension that windows move along");
    if is_list(v) { return v; }
    var all = [];
    for i in 0..dims { all = all + [v]; }
    return all;
}

// How many windows of `size`, of which neighbours are `dilation` apart, begin `stride` apart in n elements and pad at both ends; ceil: one more, which
// reaches beyond the end, if it begins before that and something is left.
fn windows_along(n: int, size: int, stride: int, pad: int, dilation: int = 1, ceil: bool = false) {
    assert(size > 0 && stride > 0 && dilation > 0 && pad >= 0, message = "sizes, strides and dilations of windows are at least 1, `pad` is not negative");
    let left = n + 2 * pad - dilation * (size - 1) - 1;
    let count = floor_div(left, stride) + 1;
    assert(count > 0, message = "a window is no larger than what it moves over, `pad` included");
    return if ceil && left % stride > 0 && count * stride < n + pad => count + 1 else count;
}

// How many elements n windows of `size`, of which neighbours are `dilation` apart, reach over, which begin `stride` apart, without `pad` at both ends and
// with `after` at the end.
fn spread_along(n: int, size: int, stride: int, pad: int, after: int = 0, dilation: int = 1) {
    assert(stride > 0 && dilation > 0 && pad >= 0, message = "strides and dilations are at least 1, `pad` is not negative");
    assert(0 <= after && (after < stride || after < dilation), message = "`after` is less than the stride, or the dilation");
    let count = (n - 1) * stride - 2 * pad + dilation * (size - 1) + 1 + after;
    assert(count > 0, message = "`pad` takes off less than there is");
    return count;
}

/// x[n, c, h, v] with filters w[o, c, p, q] -> [n, o, (h + 2 pad - dilation (p - 1) - 1) / stride + 1, ...]. groups: channels and filters
/// are in that many groups, w[o, c / groups, p, q]; groups = c: one filter or more for each channel alone.
/// stride, pad and dilation may be lists, of a number for h and one for v.
///     let x = reshape(iota(9), [1, 1, 3, 3]) as f32;
///     print(conv2d(x, ones([1, 1, 2, 2])));
///     // [[[[8, 12],
///     //    [20, 24]]]]
///     print(shape(conv2d(x, ones([4, 1, 3, 3]), pad = 1)));    // [1, 4, 3, 3]
///     print(shape(conv2d(x, ones([4, 1, 1, 3]), stride = [2, 1], pad = [0, 1])));    // [1, 4, 2, 3]
fn conv2d(x, w, stride = 1, pad = 0, dilation = 1, groups: int = 1) {
    let (n, c, h, v) = shape(x);
    let (o, d, p, q) = shape(w);
    let (down, right) = for_each(stride, 2);
    let (above, left) = for_each(pad, 2);
    let (tall, wide) = for_each(dilation, 2);
    let y = windows_along(h, p, down, above, tall);
    let z = windows_along(v, q, right, left, wide);
    assert(groups == 1 || (groups > 0 && c % groups == 0 && o % groups == 0 && d * groups == c), message = "`groups` divides the channels and the filters, which are w[o, c / groups, p, q]");
    if x.dtype == f16 && w.dtype == f16 && p * q > 1 {
        return conv2d(x as f32, w as f32, stride, pad, dilation, groups) as f16;
    }
    if groups == 1 && tall == 1 && wide == 1 { return conv2d_at(x, w, y = y, z = z, down = down, right = right, above = above, left = left); }
    let xs = reshape(x, [n, groups, c / groups, h, v]);
    let ws = reshape(w, [groups, o / groups, d, p, q]);
    return reshape(conv2d_grouped(xs, ws, y = y, z = z, down = down, right = right, above = above, left = left, tall = tall, wide = wide), [n, o, y, z]);
}

/// x[n, c, t] with filters w[o, c, p] -> [n, o, (t + 2 pad - dilation (p - 1) - 1) / stride + 1]. groups: as of conv2d, w[o, c / groups, p].
///     print(conv1d([[[1.0, 2.0, 3.0]]] as f32, [[[1.0, 1.0]]] as f32));    // [[[3, 5]]]
///     print(conv1d([[[1.0, 2.0], [3.0, 4.0]]] as f32, [[[1.0, 1.0]], [[1.0, -1.0]]] as f32, groups = 2));
///     // [[[3],
///     //   [-1]]]
fn conv1d(x, w, stride: int = 1, pad: int = 0, dilation: int = 1, groups: int = 1) {
    let (n, c, t) = shape(x);
    let (o, d, p) = shape(w);
    let y = windows_along(t, p, stride, pad, dilation);
    assert(groups == 1 || (groups > 0 && c % groups == 0 && o % groups == 0 && d * groups == c), message = "`groups` divides the channels and the filters, which are w[o, c / groups, p]");
    if groups == 1 { return conv1d_at(x, w, y = y, stride = stride, pad = pad, dilation = dilation); }
    let xs = reshape(x, [n, groups, c / groups, t]);
    let ws = reshape(w, [groups, o / groups, d, p]);
    return reshape(conv1d_grouped(xs, ws, y = y, stride = stride, pad = pad, dilation = dilation), [n, o, y]);
}

/// What conv2d does to a derivative: x[n, c, h, v] with w[c, o / groups, p, q] -> [n, o, (h - 1) stride - 2 pad + dilation (p - 1) + 1 + after, ...].
/// Of the sizes that conv2d brings to h, `after` says which. All but groups may be lists, as those of conv2d.
///     print(conv_transpose2d(ones([1, 1, 2, 2]), ones([1, 1, 2, 2]), stride = 2));
///     // [[[[1, 1, 1, 1],
///     //    [1, 1, 1, 1],
///     //    [1, 1, 1, 1],
///     //    [1, 1, 1, 1]]]]
fn conv_transpose2d(x, w, stride = 1, pad = 0, after = 0, dilation = 1, groups: int = 1) {
    let (n, c, h, v) = shape(x);
    let (k, o, p, q) = shape(w);
    let (down, right) = for_each(stride, 2);
    let (above, left) = for_each(pad, 2);
    let (tall, wide) = for_each(dilation, 2);
    let (below, beside) = for_each(after, 2);
    let y = spread_along(h, p, down, above, below, tall);
    let z = spread_along(v, q, right, left, beside, wide);
    assert(groups == 1 || (groups > 0 && c % groups == 0 && k == c), message = "`groups` divides the channels, of which there are as many as filters, w[c, o / groups, p, q]");
    if x.dtype == f16 && w.dtype == f16 {
        return conv_transpose2d(x as f32, w as f32, stride, pad, after, dilation, groups) as f16;
    }
    if groups == 1 && tall == 1 && wide == 1 {
        return conv_transpose2d_at(x, w, y = y, z = z, down = down, right = right, above = above, left = left);
    }
    let xs = reshape(x, [n, groups, c / groups, h, v]);
    let ws = reshape(w, [groups, c / groups, o, p, q]);
    let all = conv_transpose2d_grouped(xs, ws, y = y, z = z, down = down, right = right, above = above, left = left, tall = tall, wide = wide);
    return reshape(all, [n, groups * o, y, z]);
}

op repeat2d(x[n, c, h, v], times: int, again: int) -> [n, c, h, times, v, again] = x[n, c, h, v];

/// Each pixel `times` by `times` times: [n, c, h, v] -> [n, c, h * times, v * times].
///     print(upsample2d(reshape(iota(4), [1, 1, 2, 2])));
///     // [[[[0, 0, 1, 1],
///     //    [0, 0, 1, 1],
///     //    [2, 2, 3, 3],
///     //    [2, 2, 3, 3]]]]
fn upsample2d(x, times: int = 2) {
    assert(times > 0, message = "each pixel stands there at least once");
    let (n, c, h, v) = shape(x);
    return reshape(repeat2d(x, times = times, again = times), [n, c, h * times, v * times]);
}

/// The largest of every window of size * size: [n, c, h, v] -> [n, c, (h + 2 pad - dilation (size - 1) - 1) / stride + 1, ...], rounded down, up if ceil =
/// true. What pad adds is never the largest. size, stride, pad and dilation may be lists, of a number for h and one for v.
/// Elements of a window that are equally large share its derivative evenly (in PyTorch the first has it).
///     print(max_pool2d(reshape(iota(16), [1, 1, 4, 4]) as f32));
///     // [[[[5, 7],
///     //    [13, 15]]]]
///     print(max_pool2d(reshape(iota(9), [1, 1, 3, 3]) as f32, ceil = true));
///     // [[[[4, 5],
///     //    [7, 8]]]]
fn max_pool2d(x, size = 2, stride = 2, pad = 0, dilation = 1, ceil: bool = false) {
    let (p, q) = for_each(size, 2);
    let (down, right) = for_each(stride, 2);
    let (above, left) = for_each(pad, 2);
    let (tall, wide) = for_each(dilation, 2);
    let y = windows_along(shape(x)[2], p, down, above, tall, ceil);
    let z = windows_along(shape(x)[3], q, right, left, wide, ceil);
    return max_pool2d_at(x, p = p, q = q, y = y, z = z, down = down, right = right, above = above, left = left, tall = tall, wide = wide);
}

/// The mean of every window of size * size; what pad adds is 0, with padded = false left out. size, stride, pad and ceil as those of max_pool2d; what lies
/// beyond the pad is left out.
///     print(avg_pool2d(reshape(iota(16), [1, 1, 4, 4]) as f32));
///     // [[[[2.5, 4.5],
///     //    [10.5, 12.5]]]]
///     print(avg_pool2d(ones([1, 1, 1, 3]), size = [1, 2], pad = [0, 1]), avg_pool2d(ones([1, 1, 1, 3]), size = [1, 2], pad = [0, 1], padded = false));
///     // [[[[0.5, 1]]]] [[[[1, 1]]]]
fn avg_pool2d(x, size = 2, stride = 2, pad = 0, padded: bool = true, ceil: bool = false) {
    let (p, q) = for_each(size, 2);
    let (down, right) = for_each(stride, 2);
    let (above, left) = for_each(pad, 2);
    let (h, v) = (shape(x)[2], shape(x)[3]);
    let y = windows_along(h, p, down, above, ceil = ceil);
    let z = windows_along(v, q, right, left, ceil = ceil);
    if padded && !ceil { return avg_pool2d_at(x, p = p, q = q, y = y, z = z, down = down, right = right, above = above, left = left); }
    let (more, beside) = if padded => (above, left) else (0, 0);
    let there = sum_pool2d_at(ones([1, 1, h + 2 * more, v + 2 * beside], dtype = x.dtype), p = p, q = q, y = y, z = z, down = down, right = right,
                              above = above - more, left = left - beside);
    return sum_pool2d_at(x, p = p, q = q, y = y, z = z, down = down, right = right, above = above, left = left) / there;
}
