//% test 2 (1 4)
// Functions of one element: values by 25 digits of another program, what undoes them, and derivatives against differences, in f64; f32 and
// 16 bits against f64.
import std.nn;
place all = ranks(0..4);

const INF : float = 1.0 / 0.0;

fn trigamma(x) { return jvp(digamma)(x, ones(shape(x), dtype = x.dtype))[1]; }
fn erfinv_sum(x) { return sum(erfinv(x)); }
fn angle(x) { return atan2(x, 0.3 - x * x); }
fn lines(n: int, low, high) { return linspace(low, high, n, dtype = f64) to @all : S(0); }

test "the gamma function and its derivatives" {
    let x = [0.1, 0.5, 2.5, 30.0, -0.5, -2.3] as f64 to @all : S(0);
    assert_close(lgamma(x) to B, [2.2527126517342059, 0.57236494292470009, 0.28468287047291916, 71.257038967168009, 1.2655121234846454,
                                  0.36956666345500804], rtol = 1e-14);
    assert_close(digamma(x) to B, [-10.423754940411076, -1.9635100260214235, 0.70315664064524319, 3.3844381326855249, 0.036489973978576521,
                                   3.3173231575618227], rtol = 1e-14, atol = 1e-14);
    assert_close(lgamma([0.0, -3.0, INF] as f64), [INF, INF, INF]);
    check_gradient(lgamma, x);
    check_gradient(digamma, x);
    check_gradient(trigamma, x);
    let y = linspace(-5.3, 40.0, 100) to @all : S(0);
    assert_close(lgamma(y), lgamma(y as f64) as f32, rtol = 1e-6);
    assert_close(digamma(y), digamma(y as f64) as f32, rtol = 1e-5, atol = 1e-5);
    assert_close(digamma([2.5, 7.0] as bf16) as f32, [0.703157, 1.87278], rtol = 0.01);
    for n in 3..6 { assert_close(lgamma(n + 1.0), lgamma(1.0 * n) + ln(n), rtol = 1e-14); }
}

test "small numbers keep their digits" {
    assert_close(digamma([-1e-10, -1e-30] as f64), [1e10 - 0.577215664, 1e30], rtol = 1e-14);
    let x = [-1e-30, -1e-10, -1e-3] as f64 to @all : S(0);
    assert_close(nn.elu(x), expm1(x), rtol = 1e-15, atol = 0.0);
    assert_close(nn.selu(x), 1.7580993408473766 * expm1(x), rtol = 1e-15, atol = 0.0);
}

fn joined(x) { return logaddexp(x, 0.5 * x); }
fn slope_of_joined(x) { return jvp(joined)(x, ones(shape(x), dtype = x.dtype))[1]; }

test "the second derivative of logaddexp, where both are equal too" {
    let x = [0.0, 0.0, 1.0, -3.0] as f64 to @all : S(0);
    check_gradient(slope_of_joined, x);
    assert_close(jvp(slope_of_joined)(x, ones([4], dtype = f64))[1], 0.25 * sigmoid(0.5 * x) * sigmoid(-0.5 * x), rtol = 1e-13);
    assert_equal(logaddexp([-INF, INF, -INF, 2.0] as f32, [-INF, INF, 1.0, INF]), [-INF, INF, 1.0, INF]);
}

test "angles" {
    let y = [1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 2.0] as f64;
    let x = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 0.0] as f64;
    let pi = 3.14159265358979324;
    assert_close(atan2(y, x), [0.25 * pi, 0.75 * pi, -0.25 * pi, -0.75 * pi, 0.0, pi, 0.5 * pi], rtol = 1e-15);
    assert_close(atan2(y as f32, x as f32), atan2(y, x) as f32, rtol = 1e-7);
    assert_close(atan2([INF, 1.0, 0.0, 1e38] as f32, [INF, INF, 0.0, 1e-38]), [0.785398163, 0.0, 0.0, 1.570796327], rtol = 1e-7);
    let a = lines(41, -1.5, 1.5);
    assert_close(tan(a), sin(a) / cos(a), rtol = 1e-15);
    assert_close(atan(tan(a)), a, rtol = 1e-14);
    assert_close(asin(sin(a)), a, rtol = 1e-13);
    assert_close(acos(cos(a)), abs(a), rtol = 1e-13, atol = 1e-8);
    assert_close(asin([1.0, -1.0] as f64), [0.5 * pi, -0.5 * pi], rtol = 1e-15);
    assert(all(is_nan(asin([1.1, -2.0] as f32))) && all(is_nan(acos([1.1, -2.0] as f32))));
    check_gradient(tan, a);
    check_gradient(atan, a);
    check_gradient(angle, a);
    check_gradient(asin, a * 0.6);
    check_gradient(acos, a * 0.6);
    for i in 1..3 { assert_close(tan(atan2(1.0 * i, 2.0)), i / 2.0, rtol = 1e-14); }
}

test "hyperbolic functions" {
    let a = lines(41, -9.0, 9.0);
    assert_close(sinh(a), (exp(a) - exp(-a)) / 2.0, rtol = 1e-13, atol = 1e-13);
    assert_close(cosh(a), (exp(a) + exp(-a)) / 2.0, rtol = 1e-15);
    assert_close(asinh(sinh(a)), a, rtol = 1e-14);
    assert_close(acosh(cosh(a)), abs(a), rtol = 1e-13, atol = 1e-7);
    assert_close(atanh(tanh(a / 4.0)), a / 4.0, rtol = 1e-13);
    assert_close(sinh([1e-8, 1e-30] as f32), [1e-8, 1e-30], rtol = 1e-7, atol = 0.0);
    assert_close(asinh([1e-8, -1e30, INF] as f32), [1e-8, -69.7707, INF], rtol = 1e-6, atol = 0.0);
    assert_close(acosh([1.0, 1e30] as f32), [0.0, 69.7707], rtol = 1e-6);
    assert_close(atanh([1e-8, 1.0] as f32), [1e-8, INF], rtol = 1e-6, atol = 0.0);
    check_gradient(sinh, a / 4.0);
    check_gradient(cosh, a / 4.0);
    check_gradient(asinh, a);
    check_gradient(acosh, a + 11.0);
    check_gradient(atanh, a / 10.0);
    assert_close(log10(10.0 ** a), a, rtol = 1e-13);
}

fn slope(x) { return jvp(erfinv)(x, ones(shape(x), dtype = x.dtype))[1]; }
fn sums(x) { return logaddexp(x, 2.0 * x); }

test "what undoes erf, and sums of exponentials" {
    let y = [1e-12, 0.1, -0.5, 0.9, 0.999, -0.999999] as f64;
    assert_close(erfinv(y), [8.8622692545275801e-13, 0.088855990494257687, -0.47693627620446987, 1.1630871536766741, 2.3267537655135247,
                             -3.4589107372754990], rtol = 1e-14, atol = 0.0);
    assert_close(erfinv([0.999999999999, -0.9999999999999998] as f64), [5.0420297352, -5.805018683], rtol = 1e-6);
    assert_close(erfinv([0.0, 1.0, -1.0] as f32), [0.0, INF, -INF]);
    assert(all(is_nan(erfinv([1.5, -1.1] as f32))));
    let a = lines(40, -3.0, 3.0);
    assert_close(erfinv(erf(a)), a, rtol = 1e-12);
    assert_close(slope(y), 0.88622692545275801 * exp(erfinv(y) * erfinv(y)), rtol = 1e-10);
    check_gradient(erfinv, a * 0.3);
    let v = [-INF, -8.0, -3.0, -1.0, 0.0, 0.5, 2.0, INF];
    assert_close(normal_cdf(v as f64), [0.0, 6.220961e-16, 0.0013498980316301, 0.158655253931457, 0.5, 0.691462461274013, 0.977249868051821, 1.0], rtol = 1e-13, atol = 2e-16);
    assert_close(normal_cdf(v), normal_cdf(v as f64) as f32, atol = 1e-7);
    assert_close(gelu(a), a * (1.0 + erf(a * 0.70710678118654752)) * 0.5, rtol = 1e-13);
    assert(all(is_nan(normal_cdf(sqrt([-1.0] as f32)))), message = "what is no number stays so");
    assert(normal_cdf(-1.0) < 0.15866);
    check_gradient(normal_cdf, a * 0.7);
    check_gradient(gelu, a * 1.3);
    check_gradient(slope, a * 0.3);
    assert_close(logaddexp([0.0, -INF, 1000.0, INF] as f32, [0.0, -INF, 999.0, INF]), [0.693147, -INF, 1000.31326, INF]);
    check_gradient(sums, a);
}

fn slope_of(f, x) { return jvp(f)(x, ones(shape(x), dtype = x.dtype))[1]; }
fn slope_of_asin(x) { return slope_of(asin, x); }
fn slope_of_acos(x) { return slope_of(acos, x); }
fn slope_of_atan(x) { return slope_of(atan, x); }
fn slope_of_gelu(x) { return slope_of(gelu, x); }
fn turn(y, x) { return sum(atan2(y, x)); }

test "where functions end" {
    let far = [3e38, -3e38, 2.1e38, 1e20] as f32;
    assert_close(slope_of_gelu(far), [1.0, 0.0, 1.0, 1.0]);
    assert_close(slope_of(slope_of_gelu, far), [0.0, 0.0, 0.0, 0.0]);
    let x = [1e-10, -1e-10, 89.0, -89.0] as f32;
    assert_close(sinh(x), [1e-10, -1e-10, 2.2448062e38, -2.2448062e38], rtol = 1e-5);
    assert_close(jvp(cosh)(x, ones([4]))[1], sinh(x), rtol = 1e-6);
    assert_close(acosh([INF, 1e30, 1.5] as f64), [INF, 69.77069997038131, 0.96242365011920694], rtol = 1e-15);
    assert_close(grad(erfinv_sum)([1.0, 0.5, -1.0] as f64), [INF, 1.1125852234378106, INF], rtol = 1e-9);
    assert_close(jvp(slope)([1.0, -1.0] as f64, ones([2], dtype = f64))[1], [INF, -INF]);
    assert_close(slope_of(slope_of_asin, [1.0, -1.0, 1e-10, 0.5] as f64), [INF, -INF, 1e-10, 0.76980035891950105], rtol = 1e-14, atol = 0.0);
    assert_close(slope_of(slope_of_acos, [1.0, -1.0, 1e-10, 0.5] as f64), [-INF, INF, -1e-10, -0.76980035891950105], rtol = 1e-14, atol = 0.0);
    assert_close(slope_of(slope_of_atan, [2e38, -3e38, 1.0] as f32), [0.0, 0.0, -0.5], rtol = 1e-6);
    assert_close(grad(turn, wrt = 0)([0.0, 1e30, 1e-30] as f32, [0.0, 1e30, 1e-30] as f32), [0.0, 5e-31, 5e29], rtol = 1e-6, atol = 0.0);
    assert_close(logsumexp([[-INF, -INF], [INF, 3.0], [-INF, 2.0]] as f32), [-INF, INF, 2.0]);
    assert_close(1.0 / asinh([-0.0] as f32), [-INF]);
    let ends = [INF, -INF, 3e38, -3e38] as f32;
    assert_close(nn.hard_swish(ends), [INF, 0.0, 3e38, 0.0], rtol = 1e-6);
    assert_close(jvp(nn.hard_swish)(ends, ones([4]))[1], [1.0, 0.0, 1.0, 0.0]);
    assert_close(nn.mish([INF, 3e38, -3e38] as f32), [INF, 3e38, 0.0], rtol = 1e-6);
    let nan = INF - INF;
    assert_close(jvp(relu)([nan, 1.0, -1.0, 0.0] as f32, ones([4]))[1], [1.0, 1.0, 0.0, 0.0]);
    assert(format(mean(full(1.0, [16777217], dtype = f64)), digits = 12) == "1.000000000000");
}

test "of two elements" {
    let x = [3.0, 0.0, 1e-30, 3e30, INF, -5.0] as f32;
    let y = [-4.0, 0.0, 1e-30, 4e30, 1.0, 0.0] as f32;
    assert_close(hypot(x, y), [5.0, 0.0, 1.41421356e-30, 5e30, INF, 5.0], rtol = 1e-6, atol = 0.0);
    let (h, (by_x, by_y)) = vjp(hypot)(x, y, ones([6]));
    assert_close(by_x[0..4], [0.6, 0.0, 0.70710678, 0.6], rtol = 1e-6);
    assert_close(by_y[0..4], [-0.8, 0.0, 0.70710678, 0.8], rtol = 1e-6);
    let (beside, (d_x, d_y)) = vjp(hypot)([INF, INF - INF, -INF, INF - INF] as f32, [INF - INF, INF, 3.0, 1.0] as f32, ones([4]));
    assert_equal(beside[0..3], [INF, INF, INF]);
    assert(is_nan(beside[3]) && hypot(-INF, INF - INF) == INF);
    assert_equal(d_x[0..3], [1.0, 0.0, -1.0]);
    assert_equal(d_y[0..3], [0.0, 1.0, 0.0]);
    assert_close(jvp(slope_of_length)([0.0, 1.0, 3.0] as f64, ones([3], dtype = f64))[1], [1.0, 0.35355339059327379, 0.031622776601683791], rtol = 1e-14);
    assert_equal(1.0 / copysign([0.0, 2.0, -0.0, -2.0] as f32, [-0.0, -1.0, 0.0, 3.0]), [-INF, -0.5, INF, 0.5]);
    assert_equal(remainder([7, -7, 7, -7, 6] as i32, [3, 3, -3, -3, 3]), [1, 2, -2, -1, 0]);
    assert_equal(remainder([7.5, -7.5, 7.5] as f32, [2.0, 2.0, -2.0]), [1.5, 0.5, -0.5]);
    assert_close(xlogy([0.0, 0.0, 0.0, 2.0] as f32, [0.0, -1.0, INF, 3.0]), [0.0, 0.0, 0.0, 2.1972246], rtol = 1e-6);
    let (m, (m_x, m_y)) = vjp(maximum)([1.0, INF - INF, 1.0, 2.0] as f32, [INF - INF, 1.0, 1.0, 1.0] as f32, ones([4]));
    assert_close(m_x, [1.0, 1.0, 0.5, 1.0]);
    assert_close(m_y, [1.0, 1.0, 0.5, 0.0]);
    assert_close(jvp(nn.soft_shrink)([0.5, -0.5, 2.0, 0.1] as f32, ones([4]))[1], [0.0, 0.0, 1.0, 0.0]);
    assert(all(is_nan(nn.hard_shrink([INF - INF] as f32))) && all(is_nan(nn.soft_shrink([INF - INF] as f32))));
}

fn length_beside_1(x) { return hypot(x, full(1.0, shape(x), dtype = x.dtype)); }
fn slope_of_length(x) { return slope_of(length_beside_1, x); }

test "along a list of dimensions" {
    let x = reshape(iota(24) as f32 + 0.5, [2, 3, 4]);
    let y = x to @all : S(2);
    assert_close(sum(y, dim = [0, -1]) to B, sum(sum(x, dim = 2), dim = 0));
    assert_close(sum(y, dim = [2, 0, 1]) to B, sum(x));
    assert_close(mean(y, dim = [1, 2]) to B, mean(mean(x, dim = 2), dim = 1));
    assert_close(max(y, dim = [0, 2]) to B, [15.5, 19.5, 23.5]);
    assert_close(prod(y, dim = [1, 0]) to B, prod(prod(x, dim = 0), dim = 0), rtol = 1e-6);
    assert_close(sum(x, dim = []), x);
    assert(all(any(y > 11.0, dim = [1, 2]) to B));
}

fn greatest(x) { return sum(finish(max(x, dim = 1))) to B; }
fn least_of_pools(x) { return sum(finish(-max_pool2d(-x, 2))) to B; }
fn up_to(x) { return sum(finish(cummax(x, dim = 1))) to B; }
fn nans(x) { return finish(if is_nan(x) => 1.0 else 0.0) to B; }

// As PyTorch's amax and JAX: all that a NaN was compared with is NaN, and nothing else.
test "derivatives of greatest elements where one is NaN" {
    let none = 0.0 / 0.0;
    let x = ([[1.0, 3.0, 3.0], [none, 2.0, -none], [2.0, none, 4.0], [5.0, 5.0, 5.0]] as f32) to @all : S(0);
    assert(sum(abs((grad(greatest)(x) to B)[[0, 3], ..])) == 2.0);
    assert_close(nans(grad(greatest)(x)), [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]);
    assert_close(nans(jvp(greatest)(x, ones([4, 3]))[1]), 1.0);
    assert_close(nans(grad(up_to)(x)), [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]);
    let image = reshape([1.0, 2.0, none, 4.0, 3.0, 4.0, 7.0, 8.0] as f32, [1, 1, 2, 4]) to @all : B;
    assert_close(nans(grad(least_of_pools)(image))[0, 0], [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]);
}
