//% test 2 (1 4)
// std.special: incomplete gamma functions, values by 30 digits of another program, at their ends, and derivatives against differences.
import std.special;
place all = ranks(0..4);

fn lines(n: int, low, high) { return linspace(low, high, n, dtype = f64) to @all : S(0); }
fn lower_by_x(x) { return special.gammainc(2.5, x); }
fn lower_by_a(a) { return special.gammainc(a, 3.0); }
fn lower_by_large(a) { return special.gammainc(a, 190.0); }
fn upper_by_a(a) { return special.gammaincc(a, 170.0); }
fn density(x) { return jvp(lower_by_x)(x, ones(shape(x), dtype = x.dtype))[1]; }

test "incomplete gamma functions" {
    assert_close(special.gammainc([0.01, 0.5, 3.0, 60.0, 99.5, 101.0, 250.0, 5000.0] as f64, [0.001, 2.0, 2.5, 75.0, 99.0, 90.0, 260.0, 4900.0] as f64),
                 [0.93857065252612899, 0.95449973610364159, 0.45618688411667048, 0.96692651908869533, 0.49330979117950472, 0.13490016376128837, 0.74061051739235273, 0.077944956226513914], rtol = 1e-12);
    assert_close(special.gammaincc([0.01, 0.5, 3.0, 60.0, 99.5, 101.0, 250.0, 5000.0] as f64, [0.001, 30.0, 45.0, 140.0, 99.0, 150.0, 400.0, 5200.0] as f64),
                 [0.061429347473871015, 9.4857375710738484e-15, 3.0299759175115332e-17, 8.1697953795250756e-15, 0.50669020882049528, 9.0502595708578738e-6, 3.1770076592385689e-16, 0.0025848134953538087], rtol = 1e-12);
    // On both sides of where the expansion ends, and where it is most of what there is.
    let (a, at) = ([150.0, 150.0, 150.0, 150.0, 1e5, 100.25, 1e6] as f64, [97.25, 97.75, 203.0, 202.0, 1.001e5, 100.5, 1e6] as f64);
    assert_close(special.gammainc(a, at), [4.28015049617163967e-7, 5.6520869211942897e-7, 0.99995733323293901, 0.999943747258173568, 0.624445130704405495, 0.523221620474929491,
                                           0.500132980760872591], rtol = 1e-12);
    assert_close(special.gammaincc(a, at), [0.999999571984950383, 0.999999434791307881, 4.26667670609904885e-5, 5.62527418264316995e-5, 0.375554869295594505, 0.476778379525070509,
                                            0.499867019239127409], rtol = 1e-12);
    assert_equal(special.gammainc([3e4, 1e300, 1e300] as f64, [2.1e4, 1.0, 1e302] as f64), [0.0, 0.0, 1.0]);
    check_gradient(lower_by_large, lines(40, 90.0, 320.0));
    let x = lines(40, 0.05, 12.0);
    assert_close(special.gammainc(0.5, x), erf(sqrt(x)), rtol = 1e-13);
    assert_close(special.gammaincc(0.5, x), erfc(sqrt(x)), rtol = 1e-12);
    assert_close(special.gammainc(2.5, x) + special.gammaincc(2.5, x), 1.0 + 0.0 * x, rtol = 1e-14);
    assert_equal(special.gammainc([1.0, 2.0, 0.0] as f64, [0.0, inf, 3.0] as f64), [0.0, 1.0, 1.0]);
    assert_equal(special.gammaincc([1.0, 2.0, 0.0] as f32, [0.0, inf, 3.0] as f32), [1.0, 0.0, 0.0]);
    assert_equal(is_nan(special.gammainc([-1.0, 1.0, nan, 1.0] as f32, [1.0, -1.0, 1.0, nan] as f32)), [true, true, true, true]);
}

test "derivatives of incomplete gamma functions" {
    let x = lines(40, 0.05, 12.0);
    check_gradient(lower_by_x, x);
    check_gradient(density, x);
    check_gradient(lower_by_a, x);
    check_gradient(upper_by_a, 14.0 * x);
}
