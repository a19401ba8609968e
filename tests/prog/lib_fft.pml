//% test 2 (1 3 4)
//% only real numbers
// Discrete Fourier transforms beside their definition as a sum, of sizes with large prime factors and without; derivatives; split images.
import std.fft;
place p = ranks(0..4);

op root(c: int, j: int, k: int) -> [c, j, k] =
    if c == 0 => cos(((j * k) % extent(j)) as f64 * (2.0 * 3.141592653589793 / extent(j))) else sin(((j * k) % extent(j)) as f64 * (2.0 * 3.141592653589793 / extent(j)));
fn by_definition(x, y, sign) {
    let w = root(2, shape(x)[-1], shape(x)[-1]) * [[[1.0]], [[sign]]];
    return (x @ w[0] - y @ w[1], x @ w[1] + y @ w[0]);
}
fn drawn(n: int, key: int) { return normal(rng(key), [5, n], dtype = f64) to @p : S(0); }
fn near(x, y, tell) { assert((max(abs(x - y)) to B) < 1e-13 * max(1.0, max(abs(y)) to B), message = tell); }

fn compare(n: int) {
    let (x, y) = (drawn(n, n), drawn(n, n + 1000));
    let (a, b) = by_definition(x, y, -1.0);
    let (c, d) = fft.fft(x, y);
    near(c, a, "real parts");
    near(d, b, "imaginary parts");
    let (e, f) = fft.ifft(c, d);
    near(e, x, "real parts of the inverse");
    near(f, y, "imaginary parts of the inverse");
}
fn compare_real(n: int) {
    let x = drawn(n, n);
    let (a, b) = by_definition(x, 0.0 * x, -1.0);
    let (c, d) = fft.rfft(x);
    assert(shape(c) == [5, floor_div(n, 2) + 1], message = "half of them");
    near(c, a[.., 0..shape(c)[-1]], "real parts of half of them");
    near(d, b[.., 0..shape(c)[-1]], "imaginary parts of half of them");
    near(fft.irfft(c, d, n = n), x, "real numbers back");
    near(fft.irfft(c, d + one_hot(0, shape(c)[-1]) as f64, n = n), x, "an imaginary part that no real numbers have");
}

test "of a few" { compare(1); compare(2); compare(7); compare(32); }
test "of many" { compare(33); compare(64); compare(210); compare(1024); }
test "of large prime factors" { compare(37); compare(2 * 41); compare(257); compare(32 * 37); }
test "real numbers" { compare_real(1); compare_real(2); compare_real(9); compare_real(66); }
test "many real numbers" { compare_real(41); compare_real(128); compare_real(82); }

test "any dimension, from either end" {
    let (x, y) = (normal(rng(1), [3, 34, 2], dtype = f64) to @p : S(0), normal(rng(2), [3, 34, 2], dtype = f64) to @p : S(0));
    let (a, b) = fft.fft(transpose(x), transpose(y));
    let (c, d) = fft.fft(x, y, dim = 1);
    near(transpose(c), a, "dimension 1");
    near(transpose(d), b, "dimension 1, imaginary");
    let (e, f) = fft.ifft(c, d, dim = -2);
    near(e, x, "back");
    let (g, h) = fft.rfft(x to S(2), dim = 0);
    let (u, v) = fft.rfft(permute(x to S(2), [1, 2, 0]));
    near(permute(g, [1, 2, 0]), u, "dimension 0");
    near(fft.irfft(g, h, n = 3, dim = 0), x to S(2), "back along dimension 0");
    assert_equal(fft.turns(5), [0, 1, 2, -2, -1]);
    assert_equal(fft.turns(4), [0, 1, -2, -1]);
}

fn energy(x) {
    let (a, b) = fft.rfft(x);
    let (c, d) = fft.fft(a, b);
    return sum(sin(c) + d * d) to B;
}
fn energy_of_odd(x) {
    let (a, b) = fft.fft(x, x * x);
    return sum(sin(a) + b * b + fft.irfft(a, b, n = 2 * shape(a)[-1] - 1)[.., 0..shape(a)[-1]] * a) to B;
}
test "derivatives" {
    check_gradient(energy, 0.1 * drawn(34, 1));
    check_gradient(energy_of_odd, 0.1 * drawn(37, 2));
}

// Poisson's equation on a torus whose rows are split: along rows, and, with columns split, along columns.
fn laplace(u) { return roll(u, 1, dim = 0) + roll(u, -1, dim = 0) + roll(u, 1) + roll(u, -1) - 4.0 * u; }
op eigenvalues(j: int, k: int) -> [j, k] = 2.0 * cos((j as f64) * (2.0 * 3.141592653589793 / extent(j))) + 2.0 * cos((k as f64) * (2.0 * 3.141592653589793 / extent(k))) - 4.0;
fn solved(f) {
    let (n, m) = f.shape;
    let (a, b) = fft.fft(f, 0.0 * f);
    let (c, d) = fft.fft(a to S(1), b to S(1), dim = 0);
    let by = where(eigenvalues(n, m) == 0.0, 1.0, eigenvalues(n, m));
    let (e, g) = fft.ifft(c / by, d / by, dim = 0);
    let (u, v) = fft.ifft(e to S(0), g to S(0));
    return u;
}
test "an equation on a torus" {
    let u = normal(rng(3), [40, 33], dtype = f64) to @p : S(0);
    let v = u - (mean(u) to B);
    near(solved(laplace(v) to S(0)), v, "the solution");
}

fn window_by_window(x, size: int, hop: int, w) {
    let e = root(2, size, size);
    var (re, im) = ([], []);
    for f in 0..floor_div(shape(x)[-1] - size, hop) + 1 {
        let z = x[f * hop..f * hop + size] * w;
        re = re + [(z @ e[0])[..floor_div(size, 2) + 1]];
        im = im + [-(z @ e[1])[..floor_div(size, 2) + 1]];
    }
    return (stack(re, dim = 0), stack(im, dim = 0));
}
fn loudness(x) { let (re, im) = fft.stft(x, size = 8, hop = 3); return sum(log1p(re * re + im * im)); }

test "window by window" {
    let x = normal(rng(5), [29], dtype = f64) to @p : B;
    for (size, hop) in [(8, 3), (7, 2), (6, 6)] {
        let w = fft.hann(size, dtype = f64);
        let (a, b) = window_by_window(x, size, hop, w);
        let (c, d) = fft.stft(x, size = size, hop = hop, centered = false);
        near(c, a, "real parts");
        near(d, b, "imaginary parts");
    }
    let many = normal(rng(6), [5, 40], dtype = f64) to @p : S(0);
    for (size, hop) in [(8, 3), (7, 2), (16, 4)] {
        let (re, im) = fft.stft(many, size = size, hop = hop, window = fft.hamming(size, dtype = f64));
        let back = fft.istft(re, im, size = size, hop = hop, window = fft.hamming(size, dtype = f64));
        near(back, many[.., 0..shape(back)[1]], "there and back");
    }
    check_gradient(loudness, x);
    near(fft.hann(5, dtype = f64, periodic = false) to @p, [0.0, 0.5, 1.0, 0.5, 0.0] as f64 to @p, "hann");
    near(fft.blackman(4, dtype = f64) to @p, [0.0, 0.34, 1.0, 0.34] as f64 to @p, "blackman");
    near(fft.hamming(1, dtype = f64) to @p, [1.0] as f64 to @p, "of one place");
    let bands = fft.mel(count = 257, bands = 20, rate = 16000.0, low = 50.0, dtype = f64);
    assert(all(argmax(bands, dim = 0)[1..] >= argmax(bands, dim = 0)[..-1]) && min(bands) >= 0.0 && max(bands) <= 1.0, message = "triangles one behind the other");
    assert(all(abs(sum(bands[60..200], dim = 1) - 1.0) < 1e-9), message = "neighbours share what is between them");
}
