// Derivatives of cumulative sums of expressions, from either end, with and without the element itself, in reverse and forward mode and of derivatives, against products with matrices
// of zeros and ones.
//% layouts 0:1 1:2 2:2 3:3 (4:4)
//% also --reproducible
const LAYOUT : int = 0;
const R : int = [1, 2, 2, 3, 4][LAYOUT];
place all = ranks(0..R);
const L : layout = [B, S(0), S(1), S(1), S(0)][LAYOUT];

param x : f64[3, 29] @ all : L = zeros();
param w : f64[3, 29] @ all : L = zeros();
param u : f64[3, 29] @ all : B = zeros();

op squares(a[.., j], n: int) -> [.., n] = sum[j] where(j <= n, a * a, 0);
op weighted(a[.., j], b[.., j], n: int) -> [.., n] = sum[j] where(j < n, sin(a) * b, 0);
op from_end(a[.., j], b[.., j], n: int) -> [.., n] = sum[j] where(n <= j, a / (1.0 + b * b), 0);

fn up_to(n: int) { return tril(ones([n, n])) as f64; }
fn squares_of(x, w) { return finish(squares(x, n = shape(x)[1])) + 0.0 * (w to B); }
fn squares_by(x, w) { return square(x to B) @ transpose(up_to(29)) + 0.0 * (w to B); }
fn weighted_of(x, w) { return finish(weighted(x, w, n = shape(x)[1])); }
fn weighted_by(x, w) { return (sin(x to B) * (w to B)) @ transpose(up_to(29) - eye(29) as f64); }
fn end_of(x, w) { return finish(from_end(x, w, n = shape(x)[1])); }
fn end_by(x, w) { return ((x to B) / (1.0 + square(w to B))) @ up_to(29); }

fn of(f, x, w) { let y = f(x, w) to B; return sum(u * y * y); }
fn slope(f, x, w) {
    let (dx, dw) = grad(of, wrt = ("x", "w"))(f, x, w);
    return sum(u * sin(0.01 * (dx to B)) * cos(0.01 * (dw to B)));
}
fn check(f, g) {
    let (dx, dw) = grad(of, wrt = ("x", "w"))(f, x, w);
    let (ex, ew) = grad(of, wrt = ("x", "w"))(g, x, w);
    assert_close(dx to B, ex to B, rtol = 1e-12, atol = 1e-12);
    assert_close(dw to B, ew to B, rtol = 1e-12, atol = 1e-12);
    let (sx, sw) = grad(slope, wrt = ("x", "w"))(f, x, w);
    let (tx, tw) = grad(slope, wrt = ("x", "w"))(g, x, w);
    assert_close(sx to B, tx to B, rtol = 1e-10, atol = 1e-11);
    assert_close(sw to B, tw to B, rtol = 1e-10, atol = 1e-11);
    let (y, dy) = jvp(f)(x to B, w to B, u, 2.0 * u);
    let (z, dz) = jvp(g)(x to B, w to B, u, 2.0 * u);
    assert_close(y to B, z to B, rtol = 1e-12, atol = 1e-12);
    assert_close(dy to B, dz to B, rtol = 1e-12, atol = 1e-12);
    print(dx[1, 0..4] to B, dw[2, 25..29] to B);
}

main {
    x = (reshape(iota(87) * 31 % 17, [3, 29]) as f64 * 0.2 - 1.5) to @all : L;
    w = (reshape(iota(87) * 13 % 11, [3, 29]) as f64 * 0.25 - 1.0) to @all : L;
    u = (reshape(iota(87) * 7 % 5, [3, 29]) as f64 * 0.5 - 0.8) to @all : B;
    check(squares_of, squares_by);
    check(weighted_of, weighted_by);
    check(end_of, end_by);
}
