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

// Transforms over n places of z[.., c, j], real parts at c = 0 and imaginary ones at c = 1, or of the former alone. What part c of a number adds to part
// d is the cosine of an angle that is a quarter of a turn more or less where they differ. In these words it is computed as a fast transform.
op waves(z[.., c, j], d: int, k: int, n: int, dtype: dtype) -> [.., d, k] =
    sum[c, j] z * (cos(((4 * j * k + n * (d - c)) % (4 * n)) as f64 * (pi / (2 * n))) as dtype);
op waves_back(z[.., c, j], d: int, k: int, n: int, dtype: dtype) -> [.., d, k] =
    sum[c, j] z * ((cos(((4 * j * k + n * (c - d)) % (4 * n)) as f64 * (pi / (2 * n))) / n) as dtype);
// Of numbers j from 0 to n / 2, which stand for their conjugates as well, but for the first and, n being even, the last, which are real.
op waves_back_of_half(z[.., c, j], d: int, k: int, n: int, dtype: dtype) -> [.., d, k] =
    sum[c, j] z * ((cos(((4 * j * k + n * (c - d)) % (4 * n)) as f64 * (pi / (2 * n))) * (if j == 0 || 2 * j == n => 1.0 else 2.0) / n) as dtype);
fn wide(z) { return if z.dtype == f64 => f64 else f32; }
fn transformed(z) {
    let (n, t) = (shape(z)[-1], wide(z));
    assert(n > 0, message = "transforms are of one number at least");
    return waves(z as t, 2, n, n = n, dtype = t) as z.dtype;
}
fn inverse(z) {
    let (n, t) = (shape(z)[-1], wide(z));
    assert(n > 0, message = "transforms are of one number at least");
    return waves_back(z as t, 2, n, n = n, dtype = t) as z.dtype;
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

/// Of n real numbers: the first n / 2 + 1, rounded down, of those that `fft` gives, a pair; the others are their conjugates.
///     let (re, im) = fft.rfft([1.0, 2.0, 3.0, 4.0] as f32);
///     print(re, abs(im - [0.0, 2.0, 0.0]) < 1e-6);    // [10, -2, -2] [true, true, true]
fn rfft[t: float](x: t[..], dim: int = -1) {
    let d = number_of(x, dim);
    let y = at_end(x, d);
    let (n, t) = (shape(y)[-1], wide(x));
    assert(n > 0, message = "transforms are of one number at least");
    return apart(waves(unsqueeze(y as t, dim = -2), 2, floor_div(n, 2) + 1, n = n, dtype = t) as x.dtype, d);
}

/// The n real numbers of which `rfft` gives re and im, n / 2 + 1 each; if n is not said, it is even. Imaginary parts of the first and, n being even, of
/// the last, which real numbers do not have, are not looked at.
///     print(round(fft.irfft([10.0, -2.0, -2.0] as f32, [0.0, 2.0, 0.0] as f32)));    // [1, 2, 3, 4]
fn irfft[t: float](re: t[..], im: t[..], n: int = 0, dim: int = -1) {
    let d = number_of(re, dim);
    let z = together(re, im, d);
    let (h, t) = (shape(z)[-1], wide(re));
    let count = if n == 0 => 2 * h - 2 else n;
    assert(count > 0 && floor_div(count, 2) + 1 == h, message = "`irfft` takes n / 2 + 1 numbers, rounded down, for n that it gives");
    return from_end(part(waves_back_of_half(z as t, 1, count, n = count, dtype = t) as z.dtype, at = 0), d);
}

/// The number of turns over n places that each of the n numbers of `fft` stands for, the second half as negative ones: divided by the length of n
/// places, frequencies.
///     print(fft.turns(5), fft.turns(4));    // [0, 1, 2, -2, -1] [0, 1, -2, -1]
op turns(n: int) -> [n] = (if 2 * n < extent(n) => n else n - extent(n)) as i32;

// ---- sequences, window by window

op waved(n: int, a: float, b: float, c: float, period: int, dtype: dtype) -> [n] =
    (a - b * cos(2 * pi * n as f64 / period) + c * cos(4 * pi * n as f64 / period)) as dtype;
fn waved_window(n: int, a: float, b: float, c: float, periodic: bool, dtype: dtype) {
    return if n == 1 => ones([1], dtype) else waved(n, a, b, c, period = if periodic => max(n, 1) else n - 1, dtype = dtype);
}

/// Hann's window of n places, 0.5 - 0.5 cos(2 pi k / n), from 0 up and almost down to it again; periodic = false: n - 1 in the place of n, down to 0.
///     print(fft.hann(4));    // [0, 0.5, 1, 0.5]
fn hann(n: int, dtype: dtype = f32, periodic: bool = true) {
    return waved_window(n, 0.5, 0.5, 0.0, periodic, dtype);
}

/// Hamming's window, 0.54 - 0.46 cos(2 pi k / n).
///     print(fft.hamming(4));    // [0.08, 0.54, 1, 0.54]
fn hamming(n: int, dtype: dtype = f32, periodic: bool = true) {
    return waved_window(n, 0.54, 0.46, 0.0, periodic, dtype);
}

/// Blackman's window, 0.42 - 0.5 cos(2 pi k / n) + 0.08 cos(4 pi k / n).
///     print(fft.blackman(4)[1..3]);    // [0.34, 1]
fn blackman(n: int, dtype: dtype = f32, periodic: bool = true) {
    return waved_window(n, 0.42, 0.5, 0.08, periodic, dtype);
}

op framed(x[.., t], f: int, n: int, hop: int) -> [.., f, n] = x[.., hop * f + n];
op in_frames(y[.., f, n], w[n]) -> [.., f, n] = w * y;
op overlapped(y[.., f, n], t: int, hop: int) -> [.., t] = sum[n] y[.., (t - n) / hop, n];
fn window_of(window, size: int, dtype: dtype) { return if window == none => hann(size, dtype) else window; }

/// Short-time transforms: [.., t] -> the pair of real and imaginary parts of [.., windows, size / 2 + 1], of windows of `size` places that begin `hop` apart,
/// times `window` (Hann's, if none is given). centered = true: the first window is about place 0, before which x is mirrored, as behind its end.
///     let (re, im) = fft.stft(ones([16]), size = 8, hop = 4);
///     print(shape(re), abs(re[2, 0] - 4.0) < 1e-5);    // [5, 5] true
fn stft[t: float](x: t[..], size: int, hop: int, window = none, centered: bool = true) {
    assert(size > 0 && hop > 0, message = "windows are of one place at least, and one place apart");
    let y = if centered => pad(x, floor_div(size, 2), floor_div(size, 2), mode = "reflect") else x;
    assert(shape(y)[-1] >= size, message = "a window is no longer than the sequence");
    let frames = framed(y, floor_div(shape(y)[-1] - size, hop) + 1, size, hop = hop);
    return rfft(in_frames(frames, window_of(window, size, t)));
}

/// The sequence that has such transforms: both of [.., windows, size / 2 + 1] -> [.., t]. Windows are added up where they lie, each times `window`, and divided by
/// the squares of all windows there. length: how many places are wanted, 0: as many as the windows reach over.
///     let (re, im) = fft.stft(iota(16) as f32, size = 8, hop = 4);
///     print(abs(fft.istft(re, im, size = 8, hop = 4)[5] - 5.0) < 1e-4);    // true
fn istft[t: float](re: t[..], im: t[..], size: int, hop: int, window = none, centered: bool = true, length: int = 0) {
    let w = window_of(window, size, t);
    let frames = irfft(re, im, n = size);
    let (lead, count) = (if centered => floor_div(size, 2) else 0, (shape(re)[-2] - 1) * hop + size);
    let squares = overlapped(broadcast(w * w, [shape(re)[-2], size]), count, hop = hop);
    let all = overlapped(in_frames(frames, w), count, hop = hop);
    let end = if length > 0 => lead + length else count - lead;
    assert(end <= count, message = "`length` is no more than the windows reach over");
    return all[.., lead..end] / squares[lead..end];
}

fn to_mel(hertz) { return 2595.0 * log10(1.0 + hertz / 700.0); }
op triangles(f[k], c[m], low[m], high[m]) -> [k, m] = max(0, min((f - low) / (c - low), (high - f) / (high - c)));

/// Bands as the ear has them: a matrix that takes the `count` numbers of a spectrum (size / 2 + 1 of them, from 0 to half of `rate`) to so many bands, triangles
/// whose middles are equally far apart on the mel scale, 2595 log10(1 + f / 700), from `low` to `high` (0: half of `rate`) hertz: [count, bands].
///     print(shape(fft.mel(count = 201, bands = 80, rate = 16000.0)));    // [201, 80]
fn mel(count: int, bands: int, rate: float, low = 0.0, high = 0.0, dtype: dtype = f32) {
    let top = if high > 0.0 => high else 0.5 * rate;
    let (a, b) = (to_mel(low), to_mel(top));
    let at = 700.0 * (10.0 ** (linspace(a, b, bands + 2, dtype = f64) / 2595.0) - 1.0);
    return triangles(linspace(0.0, 0.5 * rate, count, dtype = f64), at[1..-1], at[..-2], at[2..]) as dtype;
}
