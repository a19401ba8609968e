//% ranks 1 2 (3)
// Functions that call themselves, where what is known when compiling ends them: a transform of halves, a cycle over coarser grids, sums and
// derivatives of both. Values come from tests/prog/expected.py.
const N : int = 1;
place all = ranks(0..N);

fn fibonacci(n: int) { return if n < 2 => n else fibonacci(n - 1) + fibonacci(n - 2); }
fn even(n: int) { if n == 0 { return true; } return odd(n - 1); }
fn odd(n: int) { if n == 0 { return false; } return even(n - 1); }

/// Power by squares: of a tensor, and of a number.
fn power(x, n: int) {
    if n == 0 { return 1.0; }
    let h = power(x, floor_div(n, 2));
    return if n % 2 == 1 => h * h * x else h * h;
}

/// The discrete Fourier transform of the lines of re + i im [m, n], n a power of 2 (Cooley, Tukey, 1965).
fn transform(re, im) {
    let (m, n) = re.shape;
    if n == 1 { return (re, im); }
    let (r, i) = (reshape(re, [m, n / 2, 2]), reshape(im, [m, n / 2, 2]));
    let (a, b) = transform(r[.., .., 0], i[.., .., 0]);
    let (c, d) = transform(r[.., .., 1], i[.., .., 1]);
    let angle = iota(n / 2) as f64 * (-2.0 * pi / n);
    let (p, q) = (cos(angle) * c - sin(angle) * d, cos(angle) * d + sin(angle) * c);
    return (concat([a + p, a - p]), concat([b + q, b - q]));
}

/// A cycle of multigrid for -u'' = f, u = 0 at both ends: f64[n], n a power of 2.
op around(u[i]) -> [i] = u[i - 1] + u[i + 1];
fn relaxed(u, f, h) { return u + 0.6 * ((around(u) + h * h * f) * 0.5 - u) to S(0); }
fn cycle(u, f, h) {
    let a = relaxed(relaxed(u, f, h), f, h);
    let n = u.shape[0];
    if n <= 4 { return relaxed(relaxed(a, f, h), f, h); }
    let rest = f - (2.0 * a - around(a)) / (h * h) to S(0);
    let r = mean(reshape(rest to B, [n / 2, 2]), dim = 1) to S(0);
    let e = cycle(zeros([n / 2], dtype = f64) to @all : S(0), r, 2.0 * h) to B;
    return relaxed(a + (reshape(broadcast(unsqueeze(e, dim = 1), [n / 2, 2]), [n]) to S(0)), f, h);
}

fn halves(x) {
    let n = x.shape[0];
    if n == 1 { return square(x[0]); }
    return halves(x[0..floor_div(n, 2)]) + 2.0 * halves(x[floor_div(n, 2)..n]);
}
fn loss(x: f64[5] @ all : B) { return halves(x) + power(x[0], 3); }

main {
    print(fibonacci(12), even(7), odd(7), power(1.5, 10), power([1.0, 2.0, -1.0] as f32, 5));
    let x = reshape((iota(16) * iota(16)) % 7, [2, 8]) as f64 to @all : S(0);
    let (re, im) = transform(x, 0.0 * x);
    print(re to B, im to B);
    let f = ((iota(16) * 3) % 5) as f64 to @all : S(0);
    var u = 0.0 * f;
    for turn in 0..3 { u = cycle(u, f, 0.125); }
    print(u to B);
    print(grad(loss)([1.0, 2.0, 3.0, 4.0, 5.0] as f64 to @all));
}
