// Convolutions, whose windows products read where they lie, and their gradients against the same sums by loops: strides, dilations, groups,
// padding or none, so that nothing is copied, several images and channels beyond a tile, batches split.
//% ranks 1 2 (3)
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);

// No product, for the compiler, since there might be something smaller.
op slow(x[n, g, c, h, v], w[g, o, c, p, q], y: int, z: int, stride: int, pad: int, dilation: int) -> [n, g, o, y, z]
    = sum[c, p, q] max(x[n, g, c, stride * y + dilation * p - pad, stride * z + dilation * q - pad] * w, -1000000.0);

fn slowly(x, w, stride: int, pad: int, dilation: int, groups: int) {
    let (n, c, h, v) = shape(x);
    let (o, d, p, q) = shape(w);
    let y = floor_div(h + 2 * pad - dilation * (p - 1) - 1, stride) + 1;
    let z = floor_div(v + 2 * pad - dilation * (q - 1) - 1, stride) + 1;
    let xs = reshape(x, [n, groups, c / groups, h, v]);
    let ws = reshape(w, [groups, o / groups, d, p, q]);
    return reshape(slow(xs, ws, y = y, z = z, stride = stride, pad = pad, dilation = dilation), [n, o, y, z]);
}
fn weighed(y) { return sum(y * reshape(((iota(volume(y)) * 7 % 11) as f64 - 5.0) as f32, shape(y)) * 0.25) to B; }
fn near(a, b) { assert(max(abs((a to B) - (b to B))) < 0.001); }

fn fast(x, w, stride: int, pad: int, dilation: int, groups: int) {
    return weighed(finish(conv2d(x, w, stride = stride, pad = pad, dilation = dilation, groups = groups)));
}
fn plain(x, w, stride: int, pad: int, dilation: int, groups: int) { return weighed(finish(slowly(x, w, stride, pad, dilation, groups))); }

fn same(x, w, stride: int, pad: int, dilation: int, groups: int) {
    near(conv2d(x, w, stride = stride, pad = pad, dilation = dilation, groups = groups), slowly(x, w, stride, pad, dilation, groups));
    let (a, b) = grad(fast)(x, w, stride, pad, dilation, groups);
    let (e, f) = grad(plain)(x, w, stride, pad, dilation, groups);
    near(a, e);
    near(b, f);
}
fn values(shape: list) { return reshape(((iota(product_of(shape)) * 37 % 101) as f64 * 0.02 - 1.0) as f32, shape); }
fn product_of(shape: list) { var n = 1; for d in shape { n = n * d; } return n; }

main {
    let x = values([6, 8, 13, 18]) to @p : S(0);
    same(x, values([20, 8, 3, 3]) to @p : B, 1, 0, 1, 1);
    same(x, values([20, 8, 3, 3]) to @p : B, 2, 0, 1, 1);
    same(x, values([5, 8, 3, 3]) to @p : B, 1, 1, 1, 1);
    same(x, values([33, 8, 3, 2]) to @p : B, 2, 1, 2, 1);
    same(x, values([18, 8, 1, 1]) to @p : B, 2, 0, 1, 1);
    same(x, values([24, 4, 5, 5]) to @p : B, 3, 2, 1, 2);
    same(x, values([8, 1, 3, 3]) to @p : B, 1, 1, 1, 8);
    same(x, values([16, 1, 3, 3]) to @p : B, 2, 0, 1, 8);
    print("alike");
}
