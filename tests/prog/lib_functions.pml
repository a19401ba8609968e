// Functions of the library that PyTorch, NumPy and SciPy have too: values, and derivatives of their sums, whole and split. Values: expected.py (torch).
//% ranks 1 3 (2 4)
import std.linalg;
import std.nn;

const N : int = 1;
place p = ranks(0..N);

fn waves(shape: shape, step) { return sin(reshape(iota(volume(shape)) as f64, shape) * step + 0.3) to @p; }

// The value and the derivative of its sum; that both are the same where lines or columns are split.
fn with_slope(name: string, f, x, others: list) {
    let (y, d) = vjp(f)(x, ones(shape(f(x)), dtype = x.dtype));
    print(name, y, d);
    for other in others {
        let (z, e) = vjp(f)(other, ones(shape(y), dtype = x.dtype));
        assert_close(z to B, y, rtol = 1e-6, atol = 1e-12);
        assert_close(e to B, d, rtol = 1e-6, atol = 1e-12);
    }
}

fn area(y) { return finish(trapezoid(y, dx = 0.5)); }
fn area_at(y) { return finish(trapezoid(y, x = [0.0, 0.5, 0.6, 2.0, 3.0] as f64)); }
fn area_between(y) { return finish(trapezoid(y, x = square(y), dim = 0)); }
fn main_line(y) { return diagonal(y); }
fn above(y) { return diagonal(y, offset = 1); }
fn below(y) { return diagonal(y, offset = -2); }
fn corner(y) { return diagonal(y, offset = 4); }
fn outside(y) { return diagonal(y, offset = 7); }
fn matrices(y) { return square(diag(y)); }
fn matrices_above(y) { return square(diag(y, offset = 1)); }
fn matrices_below(y) { return square(diag(y, offset = -2)); }
fn largest(x) { return finish(max(x)); }
fn least(x) { return finish(min(x)); }
fn largest_outer(x) { return finish(max(x, dim = [0, 2])); }
fn least_outer(x) { return finish(min(x, dim = [0, -1])); }
fn largest_inner(x) { return finish(max(x, dim = [1, 2])); }
fn least_inner(x) { return finish(min(x, dim = [2, 1])); }
fn exponential_of(a) { return linalg.expm(a) * waves([3, 4, 4], 1.1); }
fn gated(y) { return nn.glu(y, dim = 0); }
fn angles(y) { return nn.cosine(y, waves([4, 3], 1.9), dim = 0); }

main {
    let x = [0.0, 0.25, -0.4, 0.5, 0.9, -1.0, 2.5, -3.5, 5.0] as f64 to @p;
    with_slope("erfc", erfc, x, [x to S(0)]);
    with_slope("erfc", erfc, x as f32, [x as f32 to S(0)]);
    with_slope("sinc", sinc, x, [x to S(0)]);
    with_slope("trunc", trunc, x, [x to S(0)]);
    with_slope("logit", logit, [0.25, 0.5, 0.75, 1e-9] as f64 to @p, []);
    let t = [[[1.0, 3.0, 3.0], [0.0, 3.0, 2.0]], [[4.0, 4.0, 0.0], [1.0, 4.0, 4.0]]] as f64 to @p;
    let (s, u) = ([t to S(0), t to S(1), t to S(2)], [-t to S(0), -t to S(1), -t to S(2)]);
    with_slope("max", largest, t, s);
    with_slope("min", least, -t, u);
    with_slope("max", largest_outer, t, s);
    with_slope("min", least_outer, -t, u);
    with_slope("max", largest_inner, t, s);
    with_slope("min", least_inner, -t, u);
    let y = waves([3, 5], 0.7);
    with_slope("trapezoid", area, y, [y to S(0)]);
    with_slope("trapezoid", area_at, y, [y to S(0)]);
    with_slope("trapezoid", area_between, y, [y to S(1)]);
    with_slope("diagonal", main_line, y, []);
    with_slope("diagonal", above, y, []);
    with_slope("diagonal", below, y, []);
    with_slope("diagonal", corner, y, []);
    with_slope("diagonal", outside, y, []);
    with_slope("diag", matrices, y, [y to S(0)]);
    with_slope("diag", matrices_above, y, [y to S(0)]);
    with_slope("diag", matrices_below, y, [y to S(0)]);
    var n = y;
    n[0, 1] = nan;
    n[2, 0] = nan;
    n[2, 3] = nan;
    for q in [0.0, 0.3, 0.5, 1.0] {
        print("nan_quantile", nan_quantile(n, q), nan_quantile(n, q, dim = 0));
        assert_close(nan_quantile(n to S(0), q) to B, nan_quantile(n, q));
    }
    print("nan_quantile", nan_quantile([[nan, nan], [nan, 2.0]] as f32, 0.4));
    print("segment_prod", segment_prod([3, 2, 4, -1] as i32 to @p : S(0), [0, 2, 2, 0] as i32, 4) to B);
    print("prod_along_at", prod_along_at([[0, 2, 2, 4, 0], [0, 2, 2, 4, 0], [0, 2, 2, 4, 0]] as i32, y, 5));
    let a = stack([waves([4, 4], 0.7), 9.0 * waves([4, 4], 1.3), 0.0 * waves([4, 4], 1.0)], dim = 0);
    with_slope("expm", exponential_of, a, [a to S(0)]);
    let z = waves([4, 3], 0.7);
    with_slope("glu", gated, z, [z to S(1)]);
    with_slope("cosine", angles, z, [z to S(1)]);
    let none_there = zeros([0, 3]) to @p;
    print("empty", sum(reshape(none_there, [-1])), sum(nn.groupnorm(none_there, groups = 1)), histogram(none_there, 2, 0.0, 1.0));
}
