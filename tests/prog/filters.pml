// Convolutions by windows of 3 x 3, which go by minimal filtering where that is faster, and their gradients, against sums of what each
// point of the window gives; in several layouts, with rows and columns in odd numbers, rows that no image fills, and weights that are views.
//% ranks 1 2 3 4
place all = ranks(0..N);
const N : int = 1;
const C : int = 64;
const K : int = 72;
param x : f32[12, C, 15, 13] @ all : S(0) = normal();
param w : f32[K, C, 3, 3] @ all = normal();
state g : f32[12, K, 15, 13] @ all : S(0) = normal();

// Each point of the window is a product of matrices.
fn by_points[n, c, k, h, v](x: f32[n, c, h, v], w: f32[k, c, 3, 3], p: int) {
    let (a, b) = (h + 2 * p - 2, v + 2 * p - 2);
    let y = pad(pad(x, dim = 2, before = p, after = p), dim = 3, before = p, after = p);
    var z = zeros([n, k, a, b]);
    for i in 0..3 {
        for j in 0..3 {
            let part = y[.., .., i..i + a, j..j + b];
            let t[m, o, r, s] = sum[d] part[m, d, r, s] * w[o, d, i, j];
            z = z + t;
        }
    }
    return z;
}
fn far(a, b) -> f32 { return sqrt(sum(square(a - b)) to B) / sqrt(sum(square(b)) to B); }
fn filtered(x, w, g) { return sum(g * conv2d(x, w, pad = 1)) to B; }
fn pointwise(x, w, g) { return sum(g * by_points(x, w, 1)) to B; }

main {
    assert(far(conv2d(x to B, w), by_points(x to B, w, 0)) < 1e-6);
    assert(far(conv2d(x to B, w, pad = 1), by_points(x to B, w, 1)) < 1e-6);
    assert(far(conv2d(x to B, w, pad = 2), by_points(x to B, w, 2)) < 1e-6);
    // Rows split, with halos; channels of the result split, and those that are summed up.
    assert(far(conv2d(x to S(2), w, pad = 1) to B, by_points(x to B, w, 1)) < 1e-6);
    assert(far(conv2d(x to B, w to S(0), pad = 1) to B, by_points(x to B, w, 1)) < 1e-6);
    assert(far(conv2d(x to S(1), w to S(1), pad = 1) to B, by_points(x to B, w, 1)) < 1e-6);
    // Weights that are transposed, images that are a slice, and two dimensions of images.
    let v = transpose(w);
    assert(far(conv2d((x to B)[1..5, .., 1..13], v, pad = 1), by_points((x to B)[1..5, .., 1..13], v, 1)) < 1e-6);
    let two = vmap(conv2d, over = "x")(reshape(x to B, [4, 3, C, 15, 13]), w, 1, 1);
    assert(far(reshape(two, [12, K, 15, 13]), by_points(x to B, w, 1)) < 1e-6);
    assert(far(conv2d(x, w, pad = 1) to B, by_points(x to B, w, 1)) < 1e-6);

    // Gradients, of first and second order.
    let (l, d) = value_and_grad(filtered, wrt = (0, 1))(x, w, g);
    let (m, e) = value_and_grad(pointwise, wrt = (0, 1))(x to B, w, g to B);
    assert(abs(l - m) < 1e-5 * abs(m) + 0.01);
    let ((dx, dw), (ex, ew)) = (d, e);
    assert(far(dx to B, ex) < 1e-6 && far(dw to B, ew) < 1e-6);
    let (dy, t) = jvp(conv2d, wrt = ("x", "w"))(x to B, w, 1, 1, x to B, 0.5 * w);
    assert(far(t, 1.5 * (dy to B)) < 1e-6);
    print("filtered as by points");
}
