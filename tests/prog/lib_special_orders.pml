//% test 2 (1 4)
// std.special: derivatives of higher orders of incomplete gamma functions against differences.
import std.special;
place all = ranks(0..4);

fn lines(n: int, low, high) { return linspace(low, high, n, dtype = f64) to @all : S(0); }
fn lower_by_x(x) { return special.gammainc(2.5, x); }
fn density(x) { return jvp(lower_by_x)(x, ones(shape(x), dtype = x.dtype))[1]; }
fn slope_of_density(x) { return jvp(density)(x, ones(shape(x), dtype = x.dtype))[1]; }
fn third_derivative(x) { return jvp(slope_of_density)(x, ones(shape(x), dtype = x.dtype))[1]; }

test "derivatives of higher orders" {
    let x = lines(40, 0.05, 12.0);
    check_gradient(slope_of_density, x);
    check_gradient(third_derivative, x);
}
