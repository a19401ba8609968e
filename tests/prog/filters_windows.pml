// Convolutions of two and three dimensions, by windows of several lengths and strides, which go by minimal filtering where that is faster,
// and their gradients, against sums of what each point of the window gives; images, rows and channels split.
//% ranks 1 2
import std.windows;
place all = ranks(0..N);
const N : int = 1;
param x : f32[16, 80, 31, 30] @ all : S(0) = normal();
param w : f32[96, 80, 3, 3] @ all = normal();
param five : f32[72, 80, 5, 5] @ all = normal();
param volume : f32[2, 24, 5, 9, 12] @ all : S(0) = normal();
param cubes : f32[32, 24, 3, 3, 3] @ all = normal();
state h : f32[2, 32, 5, 9, 12] @ all : S(0) = normal();

// Each point of the window is a product of matrices.
op point_of(x[n, c, h, v], w[o, c], y: int, z: int, stride: int) -> [n, o, y, z] = sum[c] x[n, c, stride * y, stride * z] * w;
fn by_points(x, w, stride: int, p: int) {
    let t = shape(w)[2];
    let (a, b) = (floor_div(shape(x)[2] + 2 * p - t, stride), floor_div(shape(x)[3] + 2 * p - t, stride));
    let y = pad(pad(x, dim = 2, before = p, after = p), dim = 3, before = p, after = p);
    var z = zeros([shape(x)[0], shape(w)[0], a + 1, b + 1]);
    for i in 0..t {
        for j in 0..t {
            z = z + point_of(y[.., .., i..i + stride * a + 1, j..j + stride * b + 1], w[.., .., i, j], y = a + 1, z = b + 1, stride = stride);
        }
    }
    return z;
}
fn volume_by_points[n, c, k, d, e, f](x: f32[n, c, d, e, f], w: f32[k, c, 3, 3, 3]) {
    let y = pad(pad(pad(x, dim = 2, before = 1, after = 1), dim = 3, before = 1, after = 1), dim = 4, before = 1, after = 1);
    var z = zeros([n, k, d, e, f]);
    for i in 0..3 {
        for j in 0..3 {
            for m in 0..3 {
                let part = y[.., .., i..i + d, j..j + e, m..m + f];
                let t[a, o, p, q, r] = sum[b] part[a, b, p, q, r] * w[o, b, i, j, m];
                z = z + t;
            }
        }
    }
    return z;
}
fn far(a, b) -> f32 { return sqrt(sum(square(a - b)) to B) / sqrt(sum(square(b)) to B); }
fn cubed(x, w, g) { return sum(g * windows.conv3d(x, w, pad = 1)) to B; }
fn cubed_points(x, w, g) { return sum(g * volume_by_points(x, w)) to B; }

main {
    assert(far(conv2d(x to B, w, stride = 2, pad = 1), by_points(x to B, w, 2, 1)) < 1e-6);
    // Rows split, with halos.
    assert(far(conv2d(x to S(2), w, stride = 2, pad = 1) to B, by_points(x to B, w, 2, 1)) < 1e-6);
    assert(far(conv2d(x, five, pad = 2) to B, by_points(x to B, five, 1, 2)) < 1e-6);

    // Three dimensions, and gradients.
    let (p, q) = value_and_grad(cubed, wrt = (0, 1))(volume, cubes, h);
    let (r, s) = value_and_grad(cubed_points, wrt = (0, 1))(volume to B, cubes, h to B);
    assert(abs(p - r) < 1e-5 * abs(r) + 0.01);
    let ((dx, dw), (ex, ew)) = (q, s);
    assert(far(dx to B, ex) < 1e-6 && far(dw to B, ew) < 1e-6);
    print("filtered as by points");
}
