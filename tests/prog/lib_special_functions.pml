//% test 2 (1 4)
// std.special: values by 30 digits of another program, what they do at their ends, derivatives against differences, f32 against f64, and of ints all that
// a gcd, an lcm and a count of bits say of each other.
import std.special;
place all = ranks(0..4);

fn lines(n: int, low, high) { return linspace(low, high, n, dtype = f64) to @all : S(0); }
fn slope_of_i0(x) { return jvp(special.i0)(x, ones(shape(x), dtype = x.dtype))[1]; }
fn slope_of_j0(x) { return jvp(special.j0)(x, ones(shape(x), dtype = x.dtype))[1]; }
fn trigamma(x) { return special.polygamma(1, x); }
fn zeta_by_s(s) { return special.zeta(s, 1.5); }
fn zeta_by_q(q) { return special.zeta(2.5, q); }

test "Bessel functions" {
    assert_close(special.i0([0.25, -3.5, 19.5, 20.5, 300.0] as f64),
                 [1.0156861412236079, 7.3782034322254797, 26760525.339838766, 70922869.834317007, 4.4758473679350521e+128], rtol = 2e-15);
    assert_close(special.i1([0.25, -3.5, 19.5, 20.5, 300.0] as f64),
                 [0.12597910894546793, -6.2058349222583655, 26065069.264457166, 69170831.679184373, 4.4683813850369544e+128], rtol = 2e-15);
    assert_close(special.i0e([1e-05, -12.0, 5000.0] as f64),
                 [0.99999000007499958, 0.11642622121344044, 0.0056420368987445887], rtol = 2e-15);
    assert_close(special.i1e([0.0078125, -12.0, 5000.0] as f64),
                 [0.0038758808918031526, -0.11146429929018098, 0.0056414726668388859], rtol = 2e-15);
    assert_close(special.j0([0.25, -3.5, 7.5, 8.5, 300.0] as f64),
                 [0.9844359292958527, -0.38012773998726338, 0.2663396578803784, 0.041939251842934504, -0.033298554876305668], rtol = 1e-15, atol = 1e-15);
    assert_close(special.j1([0.25, -3.5, 7.5, 8.5, 300.0] as f64),
                 [0.12402597732272692, -0.13737752736232719, 0.13524842757970551, 0.27312196367405374, -0.03188743137749995], rtol = 1e-15, atol = 1e-15);
    let x = lines(61, -40.0, 40.0);
    assert_close(special.i0e(x), special.i0(x) * exp(-abs(x)), rtol = 1e-13);
    assert_close(special.i1e(x), special.i1(x) * exp(-abs(x)), rtol = 1e-13, atol = 1e-300);
    assert_close(slope_of_i0(x), special.i1(x), rtol = 1e-13, atol = 1e-300);
    assert_close(slope_of_j0(x), -special.j1(x), atol = 1e-14);
    check_gradient(special.i0e, x);
    check_gradient(special.i1, x);
    check_gradient(special.j1, x);
    check_gradient(slope_of_j0, x);
    let y = x as f32;
    assert_close(special.i0e(y), special.i0e(x) as f32, rtol = 1e-6);
    assert_close(special.i1e(y), special.i1e(x) as f32, rtol = 1e-5);
    assert_close(special.j0(y), special.j0(x) as f32, atol = 3e-6);
    assert_equal(special.i0([inf, -inf, 800.0] as f64), [inf, inf, inf]);
    assert_equal(special.i1([inf, -inf, 0.0] as f64), [inf, -inf, 0.0]);
    assert_equal(special.i0e([inf, -inf] as f32), [0.0, 0.0]);
    assert_equal(special.j0([inf, -inf] as f32), [0.0, 0.0]);
    assert_equal(is_nan(special.i0([nan] as f32)) && is_nan(special.j1([nan] as f32)), [true]);
}

test "the scaled complement of the error function" {
    assert_close(special.erfcx([-20.0, -0.3, 0.3, 0.47, 3.9, 4.1, 10000.0] as f64),
                 [1.0442939379528288e+174, 1.4537492328427656, 0.73459933456765515, 0.63140051666003432, 0.14031418160068974, 0.13383411641865199, 5.6418958072680841e-5], rtol = 2e-15);
    let x = lines(50, -5.0, 5.0);
    assert_close(special.erfcx(x), exp(x * x) * erfc(x), rtol = 1e-12);
    check_gradient(special.erfcx, x);
    assert_equal(special.erfcx([inf, -inf] as f64), [0.0, inf]);
}

test "zeta and polygamma" {
    assert_close(special.zeta([1.0625, 2.0, 3.5, 40.0] as f64, [1.0, 0.125, 20.0, 1.5] as f64),
                 [16.581747646655021, 65.388133444988034, 2.3798942002684447e-4, 9.0437726959059037e-8], rtol = 2e-15);
    assert_close(trigamma([0.125, 1.0, -0.75, 200.0] as f64),
                 [65.388133444988034, 1.6449340668482264, 18.975106932284889, 0.0050125208332291685], rtol = 2e-15);
    assert_close(special.polygamma(3, [0.5, 7.0] as f64), [97.409091034002437, 0.0071981985631254454], rtol = 1e-14);
    check_gradient(zeta_by_s, [1.2, 2.0, 7.5] as f64 to @all : B);
    check_gradient(zeta_by_q, [0.1, 2.0, 70.5] as f64 to @all : B);
    let x = [0.3, 1.0, 8.5, -0.4] as f64 to @all : S(0);
    check_gradient(trigamma, x);
    assert_close(special.polygamma(2, [0.3, 8.5] as f64), -2.0 * special.zeta(3.0, [0.3, 8.5] as f64), rtol = 1e-12);
    assert_equal(special.zeta([1.0, 2.0] as f32, [3.0, 0.0] as f32), [inf, inf]);
    assert_equal(is_nan(special.zeta([0.5, 2.0, nan] as f32, [3.0, -1.5, 1.0] as f32)), [true, true, true]);
}

test "ints" {
    let a = randint(rng(1), [200], low = -5000, high = 5000) to @all : S(0);
    let b = randint(rng(2), [200], low = -60, high = 60) to @all : S(0);
    let d = special.gcd(a, b);
    assert_equal(where(b == 0, d == abs(a), b % where(d == 0, 1, d) == 0 && a % where(d == 0, 1, d) == 0) to B, full(true, [200], dtype = bool));
    assert_equal(special.gcd(floor_divide(a, where(d == 0, 1, d)), floor_divide(b, where(d == 0, 1, d))) to B, where(d == 0, 0, 1) to B);
    assert_equal(special.lcm(a, b) * d to B, abs(a * b) to B);
    assert_equal(special.gcd([832040, 9223372036854775807] as i64, [514229, 9223372036854775783] as i64), [1, 1]);
    var bits = 0 * a;
    for i in 0..32 { bits = bits + bitwise_and(right_shift(a, i), 1); }
    assert_equal(special.population_count(a) to B, bits to B);
    assert_equal(special.population_count([-1, -9223372036854775807, 0] as i64), [64, 2, 0]);
    assert_equal(special.population_count([255, 254] as u8), [8, 7]);
    assert_equal(special.population_count([-1, 3] as i8), [8, 2]);
    assert_equal(special.population_count([-1, 256] as i16), [16, 1]);
}
