// fft.pml — discrete Fourier transforms. A complex tensor is a pair of tensors of one shape, its real and its imaginary parts.
//
// All dimensions are split as one likes: of an image split by rows first its rows, then, after a `to` by columns, its columns are transformed. Along a
// dimension that is itself split the result is unfinished, since every rank has a part of each sum. A transform of n = a b numbers is b of a and a of b
// numbers (Cooley, Tukey, 1965), down to products with matrices of up to MOST lines; sizes that have a larger prime factor are convolutions of about
// twice the length (Bluestein, 1970). Everything has derivatives of every order.
//
// The examples stand in `main` of a program that begins with
//
//     import std.fft;

const MOST : int = 32;

// Sizes, known when compiling.

// How many numbers the transforms of a first pass over n have: the divisor of n, up to MOST, next to the root of n that makes all passes alike; n
// itself where that is few, and 1 where there is no such divisor.
fn first_factor(n: int) { return if n <= MOST => n else nearest_divisor(n, n ** (1.0 / passes_over(n, 2)), MOST, 1); }
fn passes_over(n: int, count: int) { return if MOST ** count >= n => count else passes_over(n, count + 1); }
fn nearest_divisor(n: int, wanted: float, a: int, best: int) {
    if a == 1 { return best; }
    let nearer = n % a == 0 && max(a / wanted, wanted / a) < max(best / wanted, wanted / best);
    return nearest_divisor(n, wanted, a - 1, if nearer => a else best);
}
fn power_of_two(n: int, m: int) { return if m >= n => m else power_of_two(n, 2 * m); }

// Transforms of z[.., c, n], real parts at c = 0 and imaginary ones at c = 1; what has real parts alone may be transformed as it is.

// e^(-2 pi i k / n), and e^(-pi i k^2 / n), k = 0 to n - 1. Angles are numbers of turns of which whole ones are left out.
op root(c: int, k: int, dtype: dtype) -> [c, k] =
    (if c == 0 => cos((k as f64) * (2.0 * pi / extent(k))) else -sin((k as f64) * (2.0 * pi / extent(k)))) as dtype;
op chirp(c: int, k: int, dtype: dtype) -> [c, k] =
    (if c == 0 => cos(((k * k) % (2 * extent(k))) as f64 * (pi / extent(k)))
     else -sin(((k * k) % (2 * extent(k))) as f64 * (pi / extent(k)))) as dtype;

// What part c of a number at j adds to part d of one at k, times the root of n in question.
op turns_of(j: int, k: int, n: int) -> [j, k] = ((j * k) % n) as i32;
op adding(w[e, v], i[j, k]: int, c: int, d: int) -> [c, j, d, k] = if c == d => w[0, i] else if c == 1 => 0 - w[1, i] else w[1, i];
fn turning(parts: int, a: int, b: int, n: int, dtype: dtype) { return adding(root(2, n, dtype = dtype), turns_of(a, b, n = n), c = parts, d = 2); }

op all_at_once(z[.., c, j], w[c, j, d, k]) -> [.., d, k] = sum[c, j] z * w;
op over_first(z[.., c, j, l], w[c, j, d, k]) -> [.., d, k, l] = sum[c, j] z * w;
op turned(z[.., c, k, l], w[c, k, d, l]) -> [.., k, d, l] = sum[c] z * w;
op put_back(z[.., k, d, m]) -> [.., d, m, k] = z;
op swapped(z[.., c, n]) -> [.., c, n] = z[.., 1 - c, n];
op times(z[.., c, k], w[c, k]) -> [.., c, k] =
    z[.., 0, k] * (if c == 0 => w[0, k] else w[1, k]) + z[.., 1, k] * (if c == 0 => 0 - w[1, k] else w[0, k]);
op conjugate(w[.., c, n]) -> [.., c, n] = if c == 0 => w else 0 - w;

fn transformed(z) {
    let (c, n, lead) = (shape(z)[-2], shape(z)[-1], shape(z)[0..-2]);
    let a = first_factor(n);
    if a == n { return all_at_once(z, turning(c, n, n, n, z.dtype)); }
    if a == 1 { return as_convolution(z); }
    let first = over_first(reshape(z, lead + [c, a, n / a]), turning(c, a, a, a, z.dtype));
    let rest = transformed(turned(first, turning(2, a, n / a, n, z.dtype)));
    return reshape(put_back(rest), lead + [2, n]);
}
fn inverse(z) { return swapped(transformed(swapped(z))) / shape(z)[-1]; }

fn as_convolution(z) {
    let n = shape(z)[-1];
    let m = power_of_two(2 * n - 1, 1);
    let w = chirp(2, n, dtype = z.dtype);
    let back = conjugate(w);
    let around = concat([back, zeros([2, m - 2 * n + 1], z.dtype), flip(back[.., 1..])]);
    let y = if shape(z)[-2] == 2 => times(z, w) else z * w;
    return times(inverse(times(transformed(pad(y, after = m - n)), transformed(around)))[.., 0..n], w);
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

/// Of n real numbers: the first n / 2 + 1, rounded down, of those that `fft` gives, a pair; the others are their conjugates.
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
    return apart(of_halves(around, flip(around), root(2, n, dtype = x.dtype)[.., 0..h + 1]), d);
}

/// The n real numbers of which `rfft` gives re and im, n / 2 + 1 each; if n is not said, it is even. Imaginary parts of the first and, n being even, of
/// the last, which real numbers do not have, are not looked at.
///     print(round(fft.irfft([10.0, -2.0, -2.0] as f32, [0.0, 2.0, 0.0] as f32)));    // [1, 2, 3, 4]
fn irfft[t: float](re: t[..], im: t[..], n: int = 0, dim: int = -1) {
    let d = number_of(re, dim);
    let z = together(re, im, d);
    let h = shape(z)[-1];
    let count = if n == 0 => 2 * h - 2 else n;
    assert(floor_div(count, 2) + 1 == h, message = "`irfft` takes n / 2 + 1 numbers, rounded down, for n that it gives");
    let rest = conjugate(flip(z[.., 1..count - h + 1]));
    return from_end(part(inverse(concat([without_ends(z, n = count), rest])), at = 0), d);
}
op without_ends(z[.., c, k], n: int) -> [.., c, k] = if c == 1 && (k == 0 || 2 * k == n) => 0 else z;

/// The number of turns over n places that each of the n numbers of `fft` stands for, the second half as negative ones: divided by the length of n
/// places, frequencies.
///     print(fft.turns(5), fft.turns(4));    // [0, 1, 2, -2, -1] [0, 1, -2, -1]
op turns(n: int) -> [n] = (if 2 * n < extent(n) => n else n - extent(n)) as i32;
