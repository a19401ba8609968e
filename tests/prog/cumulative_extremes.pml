// Derivatives of the largest and smallest up to each, from either end, with equal ones, infinities and NaN, in reverse and forward mode and of derivatives, against those of a
// matrix that has a row for each of them.
//% layouts 0:1 1:2 2:2 3:3 (4:4)
//% also --reproducible
const LAYOUT : int = 0;
const R : int = [1, 2, 2, 3, 4][LAYOUT];
place all = ranks(0..R);
const L : layout = [B, S(0), S(1), S(1), S(0)][LAYOUT];

param x : f64[4, 37] @ all : L = zeros();
param w : f64[4, 37] @ all : B = zeros();

op largest_from(a[.., j], n: int) -> [.., n] = max[j] where(j >= n, a * a, -inf);
op rows(a[.., j], n: int) -> [.., n, j] = where(j <= n, a, -inf);

fn largest_of_rows(x) { return max(rows(x, n = shape(x)[1]), dim = 2); }
fn smallest_of_rows(x) { return -largest_of_rows(-x); }
fn from_of_rows(x) { return flip(largest_of_rows(flip(square(x), dim = 1)), dim = 1); }
fn from_end(x) { return finish(largest_from(x, n = shape(x)[1])); }

fn of(f, x, w) { return sum(w * (f(x) to B)); }
fn of_square(f, x, w) { let y = f(x) to B; return sum(w * y * y * y); }
fn slope(f, x, w) { return sum(w * sin(grad(of_square, wrt = "x")(f, x, w) to B)); }
fn check(f, g, x, w) {
    let dx = grad(of, wrt = "x")(f, x, w) to B;
    let dy = grad(of, wrt = "x")(g, x to B, w) to B;
    assert_close(dx, dy, rtol = 1e-13, atol = 1e-13);
    assert_close(grad(slope, wrt = "x")(f, x, w) to B, grad(slope, wrt = "x")(g, x to B, w) to B, rtol = 1e-10, atol = 1e-10);
    let (y, ty) = jvp(f)(x to B, w);
    let (z, tz) = jvp(g)(x to B, w);
    assert_equal(y to B, z to B);
    assert_close(ty to B, tz to B, rtol = 1e-13, atol = 1e-13);
}

main {
    // Many are equal: 0 to 6.
    x = reshape((iota(148) * 31 % 17 * 5 % 7), [4, 37]) as f64 to @all : L;
    w = (reshape(iota(148) * 13 % 11, [4, 37]) as f64 * 0.25 - 1.0) to @all : B;
    check(cummax, largest_of_rows, x, w);
    check(cummin, smallest_of_rows, x, w);
    check(from_end, from_of_rows, x - 2.5, w);
    check(cummax, largest_of_rows, -1.0 * x, w);
    check(cummax, largest_of_rows, 0.0 * x, w);
    let low = where(x == 0.0, -inf, x);
    assert_close(grad(of, wrt = "x")(cummin, low, w) to B, grad(of, wrt = "x")(smallest_of_rows, low to B, w) to B, rtol = 1e-13, atol = 1e-13);
    let along = grad(of_first, wrt = [x])().x to B;
    assert_close(along, transpose(grad(of_largest, wrt = "x")(transpose(x to B), transpose(w))), rtol = 1e-13);
    // NaN goes to all of its line.
    let nans = where((reshape(iota(148), [4, 37]) == 80) to @all : L, sqrt(-1.0 - x), x);
    let d = grad(of, wrt = "x")(cummax, nans, w) to B;
    let back = grad(of, wrt = "x")(from_end, nans, w) to B;
    assert(all(back[2] != back[2]) && all(back[3] == back[3]));
    print(d[0], all(d[2] != d[2]), all(d[3] == d[3]));
    print(grad(of_half, wrt = "h")((x to B) as f16)[1]);
}
fn of_first() { return sum(w * (cummax(x, dim = 0) to B)); }
fn of_largest(x, w) { return sum(w * largest_of_rows(x)); }
fn of_half(h) { return sum(cummax(h) * (w[.., 0..37] as f16)); }
