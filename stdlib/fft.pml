// fft.pml — discrete Fourier transforms. A complex tensor is a pair of tensors of one shape, its real and its imaginary parts.
//
// All dimensions are split as one likes: of an image split by rows first its rows, then, after a `to` by columns, its columns are transformed. Along a
// dimension that is itself split the result is unfinished, since every rank has a part of each sum: it transforms the numbers it has, and zeros for all
// others. A transform of n numbers takes some 5 n log2(n) operations for every n; where n has a prime factor beyond 31 it is a convolution of about twice
// the length (Bluestein, 1970). Everything has derivatives of every order, which are transforms as well. bf16 and f16 are transformed as f32 and rounded
// once.
//
// The examples stand in `main` of a program that begins with
//
//     import std.fft;

// e^(-2 pi i k / n), real parts at c = 0 and imaginary ones at c = 1: cosines a quarter of a turn further on.
op root(c: int, k: int, n: int, dtype: dtype) -> [c, k] = cos(((4 * k + n * c) % (4 * n)) as f64 * (pi / (2 * n))) as dtype;

// Transforms over n places of z[.., c, j], real parts at c = 0 and imaginary ones at c = 1, or of the former alone. What part c of a number adds to part
// d is the cosine of an angle that is a quarter of a turn more or less where they differ. In these words it is computed as a fast transform.
op waves(z[.., c, j], d: int, k: int, n: int, dtype: dtype) -> [.., d, k] =
    sum[c, j] z * (cos(((4 * j * k + n * (d - c)) % (4 * n)) as f64 * (pi / (2 * n))) as dtype);
op waves_back(z[.., c, j], d: int, k: int, n: int, dtype: dtype) -> [.., d, k] =
    sum[c, j] z * (cos(((4 * j * k + n * (c - d)) % (4 * n)) as f64 * (pi / (2 * n))) as dtype);
fn wide(z) { return if z.dtype == f64 => f64 else f32; }
fn transformed(z) {
    let (n, t) = (shape(z)[-1], wide(z));
    assert(n > 0, message = "transforms are of one number at least");
    return waves(z as t, 2, n, n = n, dtype = t) as z.dtype;
}
op conjugate(w[.., c, n]) -> [.., c, n] = if c == 0 => w else 0 - w;
fn inverse(z) {
    let (n, t) = (shape(z)[-1], wide(z));
    assert(n > 0, message = "transforms are of one number at least");
    return waves_back((z as t) / n, 2, n, n = n, dtype = t) as z.dtype;
}

// Pairs, and any dimension.

fn at_end(x, dim: int) {
    var order = [];
    for i in 0..rank(x) { if i != dim { order = order + [i]; } }
    return if dim == rank(x) - 1 => x else permute(x, order + [dim]);
}
fn from_end(x, dim: int) {
    var order = [];
    for i in 0..rank(x) { order = order + [if i < dim => i else if i == dim => rank(x) - 1 else i - 1]; }
    return if dim == rank(x) - 1 => x else permute(x, order);
}
fn number_of(x, dim: int) { return if dim < 0 => dim + rank(x) else dim; }
fn together(re, im, dim: int) { return stack([at_end(re, dim), at_end(im, dim)], dim = -2); }
op part(z[.., c, n], at: int) -> [.., n] = z[.., at, n];
fn apart(z, dim: int) { return (from_end(part(z, at = 0), dim), from_end(part(z, at = 1), dim)); }

/// The sums over j of x[j] e^(-2 pi i j k / n), k = 0 to n - 1, along `dim` of n numbers, where x = re + i im: both of one shape, as is what is
/// returned, the pair of real and imaginary parts.
///     let (re, im) = fft.fft([1.0, 2.0, 3.0, 4.0] as f32, zeros([4]));
///     print(re, abs(im - [0.0, 2.0, 0.0, -2.0]) < 1e-6);    // [10, -2, -2, -2] [true, true, true, true]
fn fft[t: float](re: t[..], im: t[..], dim: int = -1) {
    let d = number_of(re, dim);
    return apart(transformed(together(re, im, d)), d);
}

/// The inverse of `fft`: the sums over k of x[k] e^(2 pi i j k / n), divided by n.
///     let (re, im) = fft.ifft([10.0, -2.0, -2.0, -2.0] as f32, [0.0, 2.0, 0.0, -2.0] as f32);
///     print(re, abs(im) < 1e-6);    // [1, 2, 3, 4] [true, true, true, true]
fn ifft[t: float](re: t[..], im: t[..], dim: int = -1) {
    let d = number_of(re, dim);
    return apart(inverse(together(re, im, d)), d);
}

// Of z, the transform of numbers whose real parts were at even places and whose imaginary ones at odd ones: what the transform of all is from 0 to n.
op of_halves(z[.., c, k], y[.., c, k], w[c, k]) -> [.., c, k] =
    if c == 0 => 0.5 * (z[.., 0, k] + y[.., 0, k]) + 0.5 * (w[0, k] * (z[.., 1, k] + y[.., 1, k]) + w[1, k] * (z[.., 0, k] - y[.., 0, k]))
    else 0.5 * (z[.., 1, k] - y[.., 1, k]) + 0.5 * (w[1, k] * (z[.., 1, k] + y[.., 1, k]) - w[0, k] * (z[.., 0, k] - y[.., 0, k]));

/// Of n real numbers: the first n / 2 + 1, rounded down, of those that `fft` gives, a pair; the others are their conjugates. Where n is even, the numbers
/// are taken in pairs, which a split of them has to keep together.
///     let (re, im) = fft.rfft([1.0, 2.0, 3.0, 4.0] as f32);
///     print(re, abs(im - [0.0, 2.0, 0.0]) < 1e-6);    // [10, -2, -2] [true, true, true]
fn rfft[t: float](x: t[..], dim: int = -1) {
    let d = number_of(x, dim);
    let y = at_end(x, d);
    let (n, lead) = (shape(y)[-1], shape(y)[0..-1]);
    let h = floor_div(n, 2);
    if n % 2 == 1 { return apart(transformed(unsqueeze(y, dim = -2))[.., 0..h + 1], d); }
    let z = transformed(transpose(reshape(y, lead + [h, 2])));
    let around = concat([z, z[.., 0..1]]);
    return apart(of_halves(around, flip(around), root(2, h + 1, n = n, dtype = x.dtype)), d);
}

/// The n real numbers of which `rfft` gives re and im, n / 2 + 1 each; if n is not said, it is even. Imaginary parts of the first and, n being even, of
/// the last, which real numbers do not have, are not looked at.
///     print(round(fft.irfft([10.0, -2.0, -2.0] as f32, [0.0, 2.0, 0.0] as f32)));    // [1, 2, 3, 4]
fn irfft[t: float](re: t[..], im: t[..], n: int = 0, dim: int = -1) {
    let d = number_of(re, dim);
    let z = together(re, im, d);
    let h = shape(z)[-1];
    let count = if n == 0 => 2 * h - 2 else n;
    assert(count > 0 && floor_div(count, 2) + 1 == h, message = "`irfft` takes n / 2 + 1 numbers, rounded down, for n that it gives");
    let real = without_ends(z, n = count);
    if count % 2 == 1 { return from_end(part(inverse(concat([real, conjugate(flip(z[.., 1..h]))])), at = 0), d); }
    let halves = to_halves(real[.., 0..h - 1], flip(real)[.., 0..h - 1], root(2, h - 1, n = count, dtype = z.dtype));
    return from_end(reshape(transpose(inverse(halves)), shape(z)[0..-2] + [count]), d);
}
// The other way: the transform of numbers whose real parts will be at even places and whose imaginary ones at odd ones. y is z from the end.
op to_halves(z[.., c, k], y[.., c, k], w[c, k]) -> [.., c, k] =
    if c == 0 => 0.5 * (z[.., 0, k] + y[.., 0, k]) + 0.5 * (w[1, k] * (z[.., 0, k] - y[.., 0, k]) - w[0, k] * (z[.., 1, k] + y[.., 1, k]))
    else 0.5 * (z[.., 1, k] - y[.., 1, k]) + 0.5 * (w[0, k] * (z[.., 0, k] - y[.., 0, k]) + w[1, k] * (z[.., 1, k] + y[.., 1, k]));
op without_ends(z[.., c, k], n: int) -> [.., c, k] = if c == 1 && (k == 0 || 2 * k == n) => 0 else z;

/// The number of turns over n places that each of the n numbers of `fft` stands for, the second half as negative ones: divided by the length of n
/// places, frequencies.
///     print(fft.turns(5), fft.turns(4));    // [0, 1, 2, -2, -1] [0, 1, -2, -1]
op turns(n: int) -> [n] = (if 2 * n < extent(n) => n else n - extent(n)) as i32;
