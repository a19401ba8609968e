// prelude.pml — the operators every program has, and the functions composed of them. Embedded in the compiler.
//
// An `op` is index notation: shapes, layouts, gradients, cost and loops are derived from the line. `a[..]` broadcasts: trailing
// dimensions are aligned, and a dimension of extent 1 fits any other. Where an operand ends in one named factor (`a[.., k]`),
// a call may say `dim = d` to let that factor stand for another dimension than the last.
//
// The examples stand in `main` of a program that begins with
//
//     fn cubes(x) { return sum(x * x * x); }

// ---- numbers with a name ----

/// What a circle measures around, of one across.
///     print(round(2.0 * pi), sin(pi / 2.0));    // 6 1
const pi : float = 3.141592653589793;
/// More than any number.
///     print(minimum([1.0, 3.0], inf), -inf < 0.0);    // [1, 3] true
const inf : float = 1.0 / 0.0;
/// What is no number, such as 0.0 / 0.0; not equal to itself.
///     print(is_nan([nan, 1.0] as f32));    // [true, false]
const nan : float = 0.0 / 0.0;

// ---- arithmetic: what the signs stand for ----

/// a + b, elementwise with broadcasting.
///     print(add([1, 2], [10, 20]), [1, 2] as f32 + 10.0);    // [11, 22] [11, 12]
op add(a[..], b[..]) -> [..] = a + b;
/// a - b.
///     print(sub([1, 2], [10, 20]), 10.0 - [1, 2] as f32);    // [-9, -18] [9, 8]
op sub(a[..], b[..]) -> [..] = a - b;
/// a * b.
///     print(mul([1, 2], [10, 20]));    // [10, 40]
op mul(a[..], b[..]) -> [..] = a * b;
/// a / b, of floats.
///     print(div([1.0, 2.0], [4.0, 4.0]));    // [0.25, 0.5]
op div(a[..], b[..]) -> [..] = a / b;
/// a / b of ints, rounded down: what `floor_div(a, b)` is.
///     print(floor_divide([7, -7], [2, 2]));    // [3, -4]
op floor_divide(a[..]: int, b[..]: int) -> [..] = floor_div(a, b);
/// The remainder of a / b, with the sign of a. Of ints 0 where b is 0.
///     print(mod([7, -7], [3, 3]), 7 % 3);    // [1, -1] 1
op mod(a[..], b[..]) -> [..] = a % b;
/// -a.
///     print(neg([1, -2]));    // [-1, 2]
op neg(a[..]) -> [..] = -a;
/// a to the power of b, floats.
///     print(pow([2.0, 3.0], [3.0, 2.0]), 2.0 ** 0.5);    // [8, 9] 1.4142135623731
op pow(a[..], b[..]) -> [..] = pow(a, b);

/// a == b, elementwise with broadcasting: bool[..].
///     print(equal([1, 2], [1, 3]));    // [true, false]
op equal(a[..], b[..]) -> [..] = a == b;
/// a != b.
///     print(not_equal([1, 2], [1, 3]));    // [false, true]
op not_equal(a[..], b[..]) -> [..] = a != b;
/// a < b.
///     print(less([1, 2], [2, 2]));    // [true, false]
op less(a[..], b[..]) -> [..] = a < b;
/// a <= b.
///     print(less_equal([1, 2], [2, 2]));    // [true, true]
op less_equal(a[..], b[..]) -> [..] = a <= b;
/// a > b.
///     print(greater([1, 3], [2, 2]));    // [false, true]
op greater(a[..], b[..]) -> [..] = a > b;
/// a >= b.
///     print(greater_equal([1, 2], [2, 2]));    // [false, true]
op greater_equal(a[..], b[..]) -> [..] = a >= b;
/// a && b, of bools.
///     print(iota(4) > 0 && iota(4) < 3);    // [false, true, true, false]
op logical_and(a[..], b[..]) -> [..] = a && b;
/// a || b, of bools.
///     print(iota(4) < 1 || iota(4) > 2);    // [true, false, false, true]
op logical_or(a[..], b[..]) -> [..] = a || b;
/// !a, of bools.
///     print(!(iota(4) > 1));    // [true, true, false, false]
op logical_not(a[..]) -> [..] = !a;

/// a where c holds, else b.
///     let x = [-1.0, 2.0] as f32;
///     print(where(x > 0.0, x, 0.0));    // [0, 2]
op where(c[..]: bool, a[..], b[..]) -> [..] = where(c, a, b);

// ---- functions of one element ----

/// e to the power of a, elementwise as all of these.
///     print(exp([0.0, 1.0]));    // [1, 2.71828]
op exp(a[..]) -> [..] = exp(a);
/// The natural logarithm; `log(x)` means this too.
///     print(ln([1.0, 10.0]));    // [0, 2.30259]
op ln(a[..]) -> [..] = log(a);
/// The square root.
///     print(sqrt([4.0, 2.0]));    // [2, 1.41421]
op sqrt(a[..]) -> [..] = sqrt(a);
/// 1 / sqrt(a).
///     print(rsqrt([4.0, 0.25]));    // [0.5, 2]
op rsqrt(a[..]) -> [..] = rsqrt(a);
/// The hyperbolic tangent.
///     print(tanh([0.0, 1.0]));    // [0, 0.761594]
op tanh(a[..]) -> [..] = tanh(a);
/// ln(1 + a), also where a is small.
///     print(log1p([0.0, 1e-6]));    // [0, 1e-06]
op log1p(a[..]) -> [..] = log1p(a);
/// exp(a) - 1, also where a is small.
///     print(expm1([0.0, 1e-6]));    // [0, 1e-06]
op expm1(a[..]) -> [..] = expm1(a);
/// The error function.
///     print(erf([0.0, 1.0]));    // [0, 0.842701]
op erf(a[..]) -> [..] = erf(a);
// To 2e-16 of itself (Cody, Rational Chebyshev approximations for the error function, 1969), of |a| up to 0.5, up to 4, and beyond.
op erfc_by_erf(a[..], w[..]) -> [..]
    = 1 - a * ((((0.185777706184603153 * w + 3.16112374387056560) * w + 113.864154151050156) * w + 377.485237685302021) * w + 3209.37758913846947)
    / ((((w + 23.6012909523441209) * w + 244.024637934444173) * w + 1282.61652607737228) * w + 2844.23683343917062);
op erfc_middle(y[..]) -> [..]
    = ((((((((2.15311535474403846e-8 * y + 0.564188496988670089) * y + 8.88314979438837594) * y + 66.1191906371416295) * y + 298.635138197400131) * y
        + 881.952221241769090) * y + 1712.04761263407058) * y + 2051.07837782607147) * y + 1230.33935479799725)
    / ((((((((y + 15.7449261107098347) * y + 117.693950891312499) * y + 537.181101862009858) * y + 1621.38957456669019) * y
        + 3290.79923573345963) * y + 4362.61909014324716) * y + 3439.36767414372164) * y + 1230.33935480374942);
op erfc_far(y[..], v[..]) -> [..]
    = (0.564189583547756287 - v * (((((0.0163153871373020978 * v + 0.305326634961232344) * v + 0.360344899949804439) * v + 0.125781726111229246) * v
        + 0.0160837851487422766) * v + 0.000658749161529837803)
    / (((((v + 2.56852019228982242) * v + 1.87295284992346725) * v + 0.527905102951428412) * v + 0.0605183413124413191) * v + 0.00233520497626869185)) / y;
// e^(-y^2), whose square is taken in two parts, so that its digits count.
op exp_of_square(y[..], h[..]) -> [..] = exp(-h * h) * exp(-(y - h) * (y + h));
op erfc_joined(a[..], near[..], tail[..]) -> [..] = if abs(a) <= 0.46875 => near else if a < 0 => 2 - tail else tail;

/// 1 - erf(a), also where that is small: to 2e-16 of itself in f64. So are its derivatives.
///     print(erfc([0.0, 3.0] as f32));    // [1, 2.20905e-05]
fn erfc(a) { return as_if(erfc_of(stop_gradient(a)), -erf(a)); }
fn erfc_of(a) {
    let y = min(max(abs(a), 0.46875), 30.0);
    let tail = exp_of_square(y, floor(16.0 * y) / 16.0) * where(y <= 4.0, erfc_middle(min(y, 4.0)), erfc_far(y, 1.0 / (y * y)));
    return erfc_joined(a, erfc_by_erf(clamp(a, -0.5, 0.5), square(clamp(a, -0.5, 0.5))), where(a == a, tail, a));
}

/// The sine of radians.
///     print(sin([0.0, 1.0]));    // [0, 0.841471]
op sin(a[..]) -> [..] = sin(a);
/// The cosine of radians.
///     print(cos([0.0, 1.0]));    // [1, 0.540302]
op cos(a[..]) -> [..] = cos(a);
/// The tangent of radians.
///     print(tan([0.0, 1.0]));    // [0, 1.55741]
op tan(a[..]) -> [..] = tan(a);
/// The angle of the point (x, y), from -pi to pi: of y / x, in the right quadrant.
///     print(atan2([1.0, 1.0], [1.0, -1.0]));    // [0.785398, 2.35619]
op atan2(y[..], x[..]) -> [..] = atan2(y, x);
/// The angle whose tangent is a.
///     print(atan([0.0, 1.0]));    // [0, 0.785398]
op atan(a[..]) -> [..] = atan2(a, 1);
/// The angle whose sine is a, -pi/2 to pi/2.
///     print(asin([0.5, 1.0]));    // [0.523599, 1.5708]
op asin(a[..]) -> [..] = asin(a);
/// The angle whose cosine is a, 0 to pi.
///     print(acos([0.5, -1.0]));    // [1.0472, 3.14159]
op acos(a[..]) -> [..] = acos(a);
/// sin(pi a) / (pi a), 1 at 0, as NumPy has it.
///     print(sinc([0.0, 0.5]));    // [1, 0.63662]
op sinc(a[..]) -> [..] = if a == 0 => 1 else sin(3.141592653589793 * a) / (3.141592653589793 * (if a == 0 => 1 else a));
/// The hyperbolic sine.
///     print(sinh([0.0, 1.0]));    // [0, 1.1752]
op sinh(a[..]) -> [..] = 0.5 * (expm1(0.5 * a) - expm1(-0.5 * a)) * (exp(0.5 * a) + exp(-0.5 * a));
/// The hyperbolic cosine.
///     print(cosh([0.0, 1.0]));    // [1, 1.54308]
op cosh(a[..]) -> [..] = 1 + 0.5 * (expm1(0.5 * a) - expm1(-0.5 * a)) * (expm1(0.5 * a) - expm1(-0.5 * a));
op asinh_from_0(a[..]) -> [..]
    = where(a > 1, log(a) + log1p(sqrt(1 + 1 / a / a)), log1p(a + a * a / (1 + sqrt(a * a + 1))));
/// What sinh makes a.
///     print(asinh([0.0, -1.0]));    // [0, -0.881374]
op asinh(a[..]) -> [..] = where(a == 0, a, where(a < 0, -1, 1) * asinh_from_0(where(a < 0, -a, a)));
/// What cosh makes a, not negative; not a number where a is below 1.
///     print(acosh([1.0, 2.0]));    // [0, 1.31696]
op acosh(a[..]) -> [..] = log(a) + log1p(sqrt(where(a > 1e9, 1, (a - 1) / a * ((a + 1) / a))));
/// What tanh makes a.
///     print(atanh([0.0, 0.5]));    // [0, 0.549306]
op atanh(a[..]) -> [..] = 0.5 * (log1p(a) - log1p(-a));
/// The logarithm of the absolute value of the gamma function, which is (a - 1)! for whole numbers.
///     print(lgamma([1.0, 5.0]));    // [0, 3.17805]
op lgamma(a[..]) -> [..] = lgamma(a);
/// a or -a, whichever is not negative.
///     print(abs([-2.5, 1.0]));    // [2.5, 1]
op abs(a[..]) -> [..] = abs(a);
/// The largest whole number that is not above a.
///     print(floor([1.5, -1.5]));    // [1, -2]
op floor(a[..]) -> [..] = floor(a);
/// The smallest whole number that is not below a.
///     print(ceil([1.5, -1.5]));    // [2, -1]
op ceil(a[..]) -> [..] = -floor(-a);
/// a without what is behind the point: rounded towards 0.
///     print(trunc([1.5, -1.5]));    // [1, -1]
op trunc(a[..]) -> [..] = where(a < 0, -floor(-a), floor(a));
/// 1, 0 or -1; not a number where a is none.
///     print(sign([-2.5, 0.0, 3.0]));    // [-1, 0, 1]
op sign(a[..]) -> [..] = where(a > 0, 1, where(a < 0, -1, where(a == a, 0, a - a)));
/// The nearest whole number; of two the even one.
///     print(round([0.5, 1.5, 2.4]));    // [0, 2, 2]
op round(a[..]) -> [..] = round(a);
/// The logarithm to the base 2.
///     print(log2([1.0, 8.0]));    // [0, 3]
op log2(a[..]) -> [..] = log(a) * 1.4426950408889634;
/// The logarithm to the base 10.
///     print(log10([1.0, 1000.0]));    // [0, 3]
op log10(a[..]) -> [..] = log(a) * 0.4342944819032518;
/// Whether a is no number: bool[..].
///     print(is_nan(ln([-1.0, 1.0])));    // [true, false]
op is_nan(a[..]) -> [..] = a != a;
/// Whether a is a number and not infinite: bool[..].
///     print(is_finite(ln([0.0, 1.0])));    // [false, true]
op is_finite(a[..]) -> [..] = a - a == 0;
/// a * a.
///     print(square([-3.0, 2.0]));    // [9, 4]
op square(a[..]) -> [..] = a * a;
/// 1 / (1 + exp(-a)).
///     print(sigmoid([0.0, 2.0]));    // [0.5, 0.880797]
op sigmoid(a[..]) -> [..] = sigmoid(a);
/// What sigmoid makes a: ln(a / (1 - a)), infinite at 0 and 1; not a number outside.
///     print(logit([0.5, 0.9]));    // [0, 2.19722]
op logit(a[..]) -> [..] = log(a) - log1p(-a);
/// max(a, 0).
///     print(relu([-1.0, 2.0]));    // [0, 2]
op relu(a[..]) -> [..] = max(a, 0);
/// a * sigmoid(a).
///     print(silu([-1.0, 2.0]));    // [-0.268941, 1.76159]
op silu(a[..]) -> [..] = a * sigmoid(a);
/// The standard normal distribution function, (1 + erf(a / sqrt(2))) / 2, to 1e-7 in f32 and 2e-16 in f64: what is less than 1e-8 and 1e-16 may be 0.
///     print(normal_cdf([0.0, 1.96, -3.0]));    // [0.5, 0.975002, 0.0013499]
op normal_cdf(a[..]) -> [..] = normal_cdf(a);
/// a times the normal distribution function, not by the tanh formula.
///     print(gelu([-1.0, 2.0]));    // [-0.158655, 1.9545]
op gelu(a[..]) -> [..] = a * normal_cdf(a);
/// gelu by the tanh formula of Hendrycks and Gimpel (2016), as GPT-2 has it.
///     print(gelu_tanh([-1.0, 2.0]));    // [-0.158808, 1.9546]
op gelu_tanh(a[..]) -> [..] = 0.5 * a * (1.0 + tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)));
/// a where it is positive, slope * a elsewhere.
///     print(leaky_relu([-1.0, 2.0], slope = 0.2));    // [-0.2, 2]
op leaky_relu(a[..], slope[] = 0.01) -> [..] = where(a > 0, a, slope * a);
/// log(1 + exp(a)) without overflow, small values with all their digits; so are its derivatives.
///     print(softplus([-1.0, 2.0]));    // [0.313262, 2.12693]
op softplus(a[..]) -> [..] = softplus(a);
/// log(exp(a) + exp(b)) without overflow.
///     print(logaddexp([0.0, 1000.0], [0.0, 0.0]));    // [0.693147, 1000]
op logaddexp(a[..], b[..]) -> [..]
    = where(a > b, a, b) + softplus(where(a > b, b - a, where(a == b && a - a != 0, 0, a - b)));
// |m| >= |n|; what is 0 or infinite has no quotient.
op hypot_of(m[..], n[..]) -> [..]
    = where(m != 0 && m - m == 0 && n - n == 0, abs(m) * sqrt(1 + n / m * (n / m)), where(abs(m) == inf, abs(m), where(abs(n) == inf, abs(n), abs(m) + abs(n))));
/// The length of (a, b), sqrt(a * a + b * b) without overflow; infinite where one of them is, whatever the other. Its derivatives at (0, 0) are 0.
///     print(hypot([3.0, 3e30] as f32, [4.0, 4e30] as f32));    // [5, 5e+30]
op hypot(a[..], b[..]) -> [..] = hypot_of(where(abs(a) < abs(b), b, a), where(abs(a) < abs(b), a, b));
/// |a| with the sign of b, that of -0.0 too.
///     print(copysign([1.0, -2.0], [-3.0, 0.5]));    // [-1, 2]
op copysign(a[..], b[..]) -> [..] = where(b < 0 || 1 / b < 0, -abs(a), abs(a));
/// The remainder of a / b with the sign of b, as `%` has it in Python; `a % b` has that of a. Of ints 0 where b is 0.
///     print(remainder([7, -7], [3, 3]), remainder([7.5], [-2.0]));    // [1, 2] [-0.5]
op remainder(a[..], b[..]) -> [..] = where(a % b != 0 && (a % b < 0) != (b < 0), a % b + b, a % b);
/// a * ln(b), and 0 where a is 0 and b is a number.
///     print(xlogy([0.0, 2.0] as f32, [0.0, 1.0] as f32));    // [0, 0]
op xlogy(a[..], b[..]) -> [..] = where(a == 0 && (b <= 0 || b == inf), 0, a * log(b));
/// x, with the derivatives of y, which is computed only where they need it: rounded numbers that learn as if they were not
/// (`as_if(round(x), x)`), or what is computed in one way forward and in another for its gradients.
///     print(as_if([1.0, 2.0], [5.0, 5.0]), grad(cubes)(as_if([1.0, 2.0], [0.0, 0.0])));    // [1, 2] [3, 12]
op as_if(x[..], y[..]) -> [..] = as_if(x, y);
/// The bits that both a and b have.
///     print(bitwise_and([12, 7], [10, 3]), bitwise_and(12, 10));    // [8, 3] 8
op bitwise_and(a[..]: int, b[..]: int) -> [..] = bitwise_and(a, b);
/// The bits that a or b has.
///     print(bitwise_or([12, 7], [10, 8]));    // [14, 15]
op bitwise_or(a[..]: int, b[..]: int) -> [..] = bitwise_or(a, b);
/// The bits that one of a and b has.
///     print(bitwise_xor([12, 7], [10, 7]));    // [6, 0]
op bitwise_xor(a[..]: int, b[..]: int) -> [..] = bitwise_xor(a, b);
/// The bits that a has not.
///     print(bitwise_not([0, 7]), bitwise_not([0, 7] as u8));    // [-1, -8] [255, 248]
op bitwise_not(a[..]: int) -> [..] = bitwise_xor(a, 0 * a - 1);
/// a, whose bits are n places to the left: 0 if n is at least the number of bits, or negative. Of ints of the host what 64 bits do not
/// hold is an error.
///     print(left_shift([1, 3], [4, 1]), left_shift([1, 1] as u8, [7, 8] as u8));    // [16, 6] [128, 0]
op left_shift(a[..]: int, n[..]: int) -> [..] = left_shift(a, n);
/// a, whose bits are n places to the right, of signed types with its sign: a / 2^n rounded down. If n is at least the number of bits, or
/// negative, it is 0, or -1 of an a below 0.
///     print(right_shift([16, -3], [4, 1]), right_shift([200] as u8, [3] as u8));    // [1, -2] [25]
op right_shift(a[..]: int, n[..]: int) -> [..] = right_shift(a, n);
/// The larger of a and b.
///     print(maximum([1.0, 5.0], [3.0, 2.0]));    // [3, 5]
op maximum(a[..], b[..]) -> [..] = max(a, b);
/// The smaller of a and b.
///     print(minimum([1.0, 5.0], [3.0, 2.0]));    // [1, 2]
op minimum(a[..], b[..]) -> [..] = min(a, b);
/// a, but not below low or above high, which are numbers or tensors.
///     print(clamp([-1.0, 0.5, 7.0], 0.0, 1.0));    // [0, 0.5, 1]
///     print(clamp([[-1.0, 5.0], [2.0, 3.0]] as f32, 0.0, [1.0, 4.0] as f32));
///     // [[0, 4],
///     //  [1, 3]]
op clamp(a[..], low[..], high[..]) -> [..] = min(max(a, low), high);

/// The derivative of lgamma, -inf at 0, -1, -2, ... Its own derivatives are exact, too.
///     print(digamma([1.0, 2.0] as f32));    // [-0.577216, 0.422784]
fn digamma(x) {
    let (y, slope) = jvp(lgamma)(x, stop_gradient(clamp(x, 1.0, 1.0)));    // along ones, of a number too
    return slope;
}

/// What erf makes a: -1 to 1, infinite at both ends; not a number outside.
///     print(erfinv([0.0, 0.5, -1.0] as f32));    // [0, 0.476936, -inf]
op erfinv(a[..]) -> [..] = erfinv(a);

// ---- reductions along a dimension, the last if `dim` is not given ----

/// Sums: [.., k] -> [..].
///     print(sum_along([[1, 2], [3, 4]]), sum_along([[1, 2], [3, 4]], dim = 0));    // [3, 7] [4, 6]
op sum_along(a[.., k]) -> [..] = sum[k] a;
/// Products: [.., k] -> [..].
///     print(prod_along([[1, 2], [3, 4]]));    // [2, 12]
op prod_along(a[.., k]) -> [..] = prod[k] a;
/// Largest elements: [.., k] -> [..].
///     print(max_along([[1, 2], [3, 4]]));    // [2, 4]
op max_along(a[.., k]) -> [..] = max[k] a;
/// Smallest elements: [.., k] -> [..].
///     print(min_along([[1, 2], [3, 4]]));    // [1, 3]
op min_along(a[.., k]) -> [..] = min[k] a;
/// Means, of floats: [.., k] -> [..].
///     print(mean_along([[1.0, 2.0], [3.0, 4.0]]));    // [1.5, 3.5]
op mean_along(a[.., k]) -> [..] = mean[k] a;
/// Whether any element holds: bool[.., k] -> bool[..].
///     print(any_along([[1, 2], [3, 4]] as i32 > 3));    // [false, true]
op any_along(a[.., k]) -> [..] = any[k] a;
/// Whether all elements hold: bool[.., k] -> bool[..].
///     print(all_along([[1, 2], [3, 4]] as i32 > 2));    // [false, true]
op all_along(a[.., k]) -> [..] = all[k] a;
/// The position of the largest element, i32; the first among equals, the first NaN if there is one.
///     print(argmax([[1, 7, 3], [9, 5, 6]]));    // [1, 0]
op argmax(a[.., k]) -> [..] = argmax[k] a;
/// The position of the smallest element, i32; the first among equals, the first NaN if there is one.
///     print(argmin([[1, 7, 3], [9, 5, 6]]));    // [0, 1]
op argmin(a[.., k]) -> [..] = argmin[k] a;
op sum_matrix(a[i, j]) -> [] = sum[i, j] a;
op mean_matrix(a[i, j]) -> [] = mean[i, j] a;

// Over the last dimensions at once, so that all that are equal share a derivative: one dimension after the other each line would have its share.
op max_of_2(a[.., i, j]) -> [..] = max[i, j] a;
op max_of_3(a[.., i, j, k]) -> [..] = max[i, j, k] a;
op max_of_4(a[.., i, j, k, l]) -> [..] = max[i, j, k, l] a;
op max_of_5(a[.., i, j, k, l, m]) -> [..] = max[i, j, k, l, m] a;
op max_of_6(a[.., i, j, k, l, m, n]) -> [..] = max[i, j, k, l, m, n] a;
op max_of_7(a[.., i, j, k, l, m, n, o]) -> [..] = max[i, j, k, l, m, n, o] a;
op max_of_8(a[i, j, k, l, m, n, o, p]) -> [] = max[i, j, k, l, m, n, o, p] a;
op min_of_2(a[.., i, j]) -> [..] = min[i, j] a;
op min_of_3(a[.., i, j, k]) -> [..] = min[i, j, k] a;
op min_of_4(a[.., i, j, k, l]) -> [..] = min[i, j, k, l] a;
op min_of_5(a[.., i, j, k, l, m]) -> [..] = min[i, j, k, l, m] a;
op min_of_6(a[.., i, j, k, l, m, n]) -> [..] = min[i, j, k, l, m, n] a;
op min_of_7(a[.., i, j, k, l, m, n, o]) -> [..] = min[i, j, k, l, m, n, o] a;
op min_of_8(a[i, j, k, l, m, n, o, p]) -> [] = min[i, j, k, l, m, n, o, p] a;

fn names(dims: list, d: int, n: int) {
    for e in dims {
        if e == d || e == d - n { return true; }
    }
    return false;
}

// The dimensions of x in a list, the last first: then what goes with one of them renumbers none of those to come.
fn last_first(x, dims: list) {
    var found = [];
    for i in 0..rank(shape(x)) {
        let d = rank(shape(x)) - 1 - i;
        if names(dims, d, rank(shape(x))) { found = found + [d]; }
    }
    assert(length(found) == length(dims), message = "`dim` lists dimensions of the tensor, each once");
    return found;
}

// How many elements stand along the dimensions of a list.
fn points_along(x, dims: list) {
    var n = 1;
    for d in dims { n = n * shape(x)[d]; }
    return n;
}

// f along every dimension, along those of a list, or along one.
fn along(f, x, dim) {
    if is_list(dim) {
        var y = x;
        for d in last_first(x, dim) { y = f(y, dim = d); }
        return y;
    }
    if dim != none { return f(x, dim = dim); }
    var y = x;
    for i in 0..rank(shape(x)) { y = f(y); }
    return y;
}

// f, a list of functions of the last one, two, … dimensions, along every dimension, along those of a list, or along one.
fn at_once(f: list, x, dim) {
    let n = rank(shape(x));
    if is_list(dim) {
        let reduced = last_first(x, dim);
        var order = [];
        for i in 0..n { if !names(reduced, i, n) { order = order + [i]; } }
        for i in 0..n { if names(reduced, i, n) { order = order + [i]; } }
        if length(reduced) == 0 { return x; }
        let last = f[length(reduced) - 1];
        return last(if length(reduced) == n => x else permute(x, order));
    }
    let all = f[if dim != none || n == 0 => 0 else n - 1];
    if dim != none { return all(x, dim = dim); }
    return if n == 0 => x else all(x);
}

// What a reduction of x along `dim`, which may be a list, left of it, with these dimensions of one element: it stands above x.
fn above(m, x, dim) {
    var y = m;
    for i in 0..rank(shape(x)) {
        if names(dim, i, rank(shape(x))) { y = unsqueeze(y, dim = i); }
    }
    return y;
}
fn less_along(x, m, dim) { return if is_list(dim) => x - above(m, x, dim) else sub_along(x, m, dim = dim); }
// exp(x - m) likewise. Of 16 bits the difference is not rounded, for which a softmax takes 0.92 of the time.
fn exp_less_along(x, m, dim) { return if is_narrow(x) && !is_list(dim) => exp_of_less(x, m, dim = dim) else exp(less_along(x, m, dim)); }
op exp_of_less(a[.., k], b[..]) -> [.., k] = exp(a - b);

/// The sum of all elements, or along `dim`, which may be a list. Bools are counted (i32).
///     let x = [[1.0, 2.0], [4.0, 3.0]] as f32;
///     print(sum(x), sum(x, dim = 0), sum(x, dim = [0, 1]));    // 10 [5, 5] 10
fn sum(x, dim = none) {
    if dim == none && rank(shape(x)) == 2 { return sum_matrix(x); }
    return along(sum_along, x, dim);
}

/// The product of all elements, or along `dim`, which may be a list.
///     let x = [[1.0, 2.0], [4.0, 3.0]] as f32;
///     print(prod(x), prod(x, dim = 0));    // 24 [4, 6]
fn prod(x, dim = none) {
    return along(prod_along, x, dim);
}

/// The mean of all elements of the logical tensor, or along `dim`, which may be a list. Of ints and bools in f32, of bools the share that holds.
///     let x = [[1.0, 2.0], [4.0, 3.0]] as f32;
///     print(mean(x), mean(x, dim = 0), mean(x > 1.0));    // 2.5 [2.5, 2.5] 0.75
fn mean(x, dim = none) {
    if rank(shape(x)) >= 0 && !is_float(x) { return mean(x as f32, dim = dim); }
    if dim == none && rank(shape(x)) == 2 && (x.dtype == bf16 || x.dtype == f16) { return mean_matrix(x); }
    if dim == none && !(x.dtype == bf16 || x.dtype == f16) { return sum(x) / volume(x); }
    if is_list(dim) && !(x.dtype == bf16 || x.dtype == f16) { return sum(x, dim = dim) / points_along(x, dim); }
    return along(mean_along, x, dim);
}

/// max(x): the largest element; max(x, dim = d): along a dimension, or those of a list; max(x, y): elementwise.
///     let x = [[1.0, 2.0], [4.0, 3.0]] as f32;
///     print(max(x), max(x, dim = 1));    // 4 [2, 4]
///     print(max(x, 2.5));
///     // [[2.5, 2.5],
///     //  [4, 3]]
fn max(x, y = none, dim = none) {
    if y != none {
        assert(dim == none, message = "`max` is of two, or along `dim`: of three numbers it is `max(a, max(b, c))`");
        return maximum(x, y);
    }
    return at_once([max_along, max_of_2, max_of_3, max_of_4, max_of_5, max_of_6, max_of_7, max_of_8], x, dim);
}

/// min(x): the smallest element; min(x, dim = d): along a dimension, or those of a list; min(x, y): elementwise.
///     let x = [[1.0, 2.0], [4.0, 3.0]] as f32;
///     print(min(x), min(x, dim = 1));    // 1 [1, 3]
///     print(min(x, 2.5));
///     // [[1, 2],
///     //  [2.5, 2.5]]
fn min(x, y = none, dim = none) {
    if y != none {
        assert(dim == none, message = "`min` is of two, or along `dim`: of three numbers it is `min(a, min(b, c))`");
        return minimum(x, y);
    }
    return at_once([min_along, min_of_2, min_of_3, min_of_4, min_of_5, min_of_6, min_of_7, min_of_8], x, dim);
}

/// Whether any element holds, or along `dim`, which may be a list.
///     print(any(iota(3) > 1), any(iota(3) > 2));    // true false
fn any(x, dim = none) {
    return along(any_along, x, dim);
}

/// Whether all elements hold, or along `dim`, which may be a list.
///     print(all(iota(3) >= 0), all(iota(3) > 0));    // true false
fn all(x, dim = none) {
    return along(all_along, x, dim);
}

// What n elements less `correction` count; no less than 0, by which nothing is divided.
fn free(n: int, correction: int) { return if n > correction => 1.0 * (n - correction) else 0.0; }

/// The variance along `dim`, which may be a list, of n elements the sum of squares divided by n - correction: [.., n] -> [..]. correction = 1: that of what
/// they are a sample of.
///     print(variance([1.0, 3.0]), variance([1.0, 3.0] as f32, correction = 1));    // 1 2
///     print(variance([[1.0, 3.0], [1.0, 3.0]] as f32, dim = [0, 1]));    // 1
fn variance(x, dim = -1, correction: int = 0) {
    let c = less_along(x, finish(along(mean_along, x, dim)), dim);
    if correction == 0 { return along(mean_along, c * c, dim); }
    return along(sum_along, c * c, dim) / free(points_along(c, if is_list(dim) => dim else [dim]), correction);
}

/// The root of the variance along `dim`, which may be a list: [.., k] -> [..].
///     print(std([1.0, 3.0]));    // 1
fn std(x, dim = -1, correction: int = 0) {
    return root(finish(variance(x, dim, correction)));
}

/// The covariances of variables, one a line: x[.., v, n] of n observations -> [.., v, v], divided by n - correction.
///     print(covariance([[1.0, 3.0], [2.0, -2.0]] as f32));
///     // [[2, -4],
///     //  [-4, 8]]
fn covariance(x, correction: int = 1) {
    let c = sub_along(x, finish(mean_along(x)));
    return (c @ transpose(c)) / free(shape(x)[-1], correction);
}

/// The correlations of variables, one a line: x[.., v, n] -> [.., v, v], -1 to 1.
///     print(correlation([[1.0, 3.0, 5.0], [2.0, 0.0, -2.0]] as f32));
///     // [[1, -1],
///     //  [-1, 1]]
fn correlation(x) {
    let c = finish(covariance(x, correction = 0));
    let s = sqrt(diagonal(c));
    return clamp(div_along(div_along(c, s), s, dim = -2), -1.0, 1.0);
}

// What is no number left out: sums, and how many there are.
op number_or_0(a[..]) -> [..] = where(a == a, a, 0);
op is_number(a[..]) -> [..] = a == a;

/// The sum of the elements that are numbers, or along `dim`, which may be a list.
///     print(nan_sum([1.0, nan, 2.0] as f32));    // 3
fn nan_sum(x, dim = none) {
    return sum(number_or_0(x), dim);
}

/// The mean of the elements that are numbers, or along `dim`, which may be a list; not a number where there is none.
///     print(nan_mean([1.0, nan, 2.0] as f32));    // 1.5
fn nan_mean(x, dim = none) {
    return per_count(finish(sum(number_or_0(x), dim)), finish(sum(is_number(x), dim)));
}
fn per_count[t: float](total: t[..], count) { return total / (count as t); }

// sqrt, with the derivative 0 at 0: of what cannot become smaller.
op root(a[..]) -> [..] = if a == 0 => 0 else sqrt(if a == 0 => 1 else a);

/// The root of the sum of squares of all elements, or along `dim`.
///     let x = [[3.0, 4.0], [6.0, 8.0]] as f32;
///     print(norm(x), norm(x, dim = 1));    // 11.1803 [5, 10]
fn norm(x, dim = none) {
    return root(finish(sum(x * x, dim = dim)));
}

// ---- a tensor and one with a dimension less ----

/// b[..] added to each element of the lines of a[.., k].
///     print(add_along([[1, 2], [3, 4]], [10, 20]));
///     // [[11, 12],
///     //  [23, 24]]
op add_along(a[.., k], b[..]) -> [.., k] = a + b;
/// b[..] subtracted from each element of the lines of a[.., k].
///     print(sub_along([[1, 2], [3, 4]], [1, 3]));
///     // [[0, 1],
///     //  [0, 1]]
op sub_along(a[.., k], b[..]) -> [.., k] = a - b;
/// Each line of a[.., k] times an element of b[..].
///     print(mul_along([[1, 2], [3, 4]], [10, 20]));
///     // [[10, 20],
///     //  [60, 80]]
op mul_along(a[.., k], b[..]) -> [.., k] = a * b;
/// Each line of a[.., k] divided by an element of b[..].
///     print(div_along([[1.0, 2.0], [3.0, 4.0]], [2.0, 4.0]));
///     // [[0.5, 1],
///     //  [0.75, 1]]
op div_along(a[.., k], b[..]) -> [.., k] = a / b;

// ---- contractions: what `@` stands for, by the number of dimensions ----

/// The product of matrices, batches in front: [.., m, k] @ [k, n] or [.., k, n] -> [.., m, n].
///     print(matmul([[1.0, 2.0]], [[3.0], [4.0]]), [[1.0, 2.0]] as f32 @ [[3.0], [4.0]]);    // [[11]] [[11]]
op matmul(a[.., m, k], b[.., k, n]) -> [.., m, n] = sum[k] a * b using gemm;
/// [.., m, k] @ [k] -> [.., m].
///     print(matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]));    // [21, 43]
op matvec(a[.., m, k], b[k]) -> [.., m] = sum[k] a * b;
/// [k] @ [.., k, n] -> [.., n].
///     print(vecmat([1.0, 10.0], [[1.0, 2.0], [3.0, 4.0]]));    // [31, 42]
op vecmat(a[k], b[.., k, n]) -> [.., n] = sum[k] a * b;
/// The scalar product of two vectors.
///     print(dot([1.0, 2.0], [3.0, 4.0]));    // 11
op dot(a[k], b[k]) -> [] = sum[k] a * b;
/// [i], [j] -> [i, j], all products.
///     print(outer([1.0, 2.0], [3.0, 4.0]));
///     // [[3, 4],
///     //  [6, 8]]
op outer(a[i], b[j]) -> [i, j] = a * b;
op beside(a[i, j], b[p, q]) -> [i, p, j, q] = a * b;

/// b times each element of a, in its place: [n, m], [p, q] -> [n p, m q].
///     print(kron([[1.0, 2.0]] as f32, [[1.0], [3.0]] as f32));
///     // [[1, 2],
///     //  [3, 6]]
fn kron(a, b) {
    return reshape(beside(a, b), [shape(a)[0] * shape(b)[0], shape(a)[1] * shape(b)[1]]);
}

/// The vector product of lines of three elements along `dim`.
///     print(cross([1.0, 0.0, 0.0] as f32, [0.0, 1.0, 0.0] as f32));    // [0, 0, 1]
fn cross(a, b, dim = -1) {
    assert(shape(a)[dim] == 3 && shape(b)[dim] == 3, message = "`cross` is of lines of three elements");
    return roll(a, -1, dim) * roll(b, -2, dim) - roll(a, -2, dim) * roll(b, -1, dim);
}

op squared_differences(a[.., m, k], b[.., n, k]) -> [.., m, n] = sum[k] (a - b) * (a - b);
op squared_by_product(p[.., m, n], s[.., m], t[.., n]) -> [.., m, n] = max(s + t - 2 * p, 0);

/// Distances of points, sqrt(sum (a - b)^2): a[.., m, d], b[.., n, d] -> [.., m, n]. By the product of a and b, off the mean of b, so that squares are exact to
/// 1e-6 of the largest in f32, and points that are much closer to each other than to the mean are not told apart; exact = true: by differences, which
/// takes as long to twice as long. The derivative of a distance that is 0 is 0.
///     print(distances([[0.0, 0.0], [3.0, 0.0]] as f32, [[0.0, 4.0]] as f32));
///     // [[4],
///     //  [5]]
fn distances(a, b, exact: bool = false) {
    if exact { return root(finish(squared_differences(a, b))); }
    let m = stop_gradient(finish(mean_along(b, dim = -2)));
    let (u, v) = (sub_along(a, m, dim = -2), sub_along(b, m, dim = -2));
    return root(squared_by_product(finish(u @ transpose(v)), finish(sum_along(u * u)), finish(sum_along(v * v))));
}

/// [.., j] + [j].
///     print(bias([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]));
///     // [[11, 22],
///     //  [13, 24]]
op bias(a[.., j], b[j]) -> [.., j] = a + b;

// ---- shapes ----

/// The last two dimensions exchanged.
///     print(transpose([[1, 2, 3], [4, 5, 6]]));
///     // [[1, 4],
///     //  [2, 5],
///     //  [3, 6]]
op transpose(a[.., i, j]) -> [.., j, i] = a;
/// x repeated to a shape with more, or longer, dimensions.
///     print(broadcast([1, 2], [2, 2]));
///     // [[1, 2],
///     //  [1, 2]]
op broadcast(a[..], shape: shape) -> [..] = a;
op pad_along(a[.., i], n: int, before: int) -> [.., n] = a[.., n - before];

op reversed(a[.., i], n: int) -> [.., n] = a[.., extent(n) - 1 - n];

/// The elements along `dim` in reverse order.
///     print(flip([[1, 2], [3, 4]] as i32, dim = 0));
///     // [[3, 4],
///     //  [1, 2]]
fn flip(x, dim = -1) {
    return reversed(x, n = shape(x)[dim], dim = dim);
}

op joined(a[.., i], b[.., i], at: int) -> [.., i] = if i >= at => b else a;

// Which dimension of a, but `dim`, is not as long as that of b, in words; "" if all are.
fn unlike(a, b, dim: int) {
    let (s, t) = (shape(a), shape(b));
    let k = if dim < 0 => dim + rank(s) else dim;
    for i in 0..rank(s) { if i != k && s[i] != t[i] { return "dimension " + i + " is " + t[i] + " and " + s[i]; } }
    return "";
}

/// Numbers one after the other along `dim`; parts is a list of tensors, which are of one shape but along `dim`.
///     print(concat([[1, 2] as i32, [3] as i32]));    // [1, 2, 3]
fn concat(parts: list, dim = -1) {
    assert(length(parts) > 0, message = "`concat` and `stack` take a list of at least one tensor");
    var n = 0;
    for p in parts {
        assert(rank(shape(p)) == rank(shape(parts[0])), message = "`concat` takes tensors of equally many dimensions");
        let wrong = unlike(p, parts[0], dim);
        assert(wrong == "", message = "`concat` takes tensors of one shape but along `dim`: " + wrong);
        let (t, first) = (p.dtype, parts[0].dtype);
        assert(t == first, message = "`concat` takes tensors of one element type: " + format(first) + " and " + format(t));
        n += shape(p)[dim];
    }
    var y = none;
    var at = 0;
    for p in parts {
        if shape(p)[dim] > 0 {
            let part = pad_along(p, n = n, before = at, dim = dim);
            y = if y == none => part else joined(y, part, at = at, dim = dim);
        }
        at += shape(p)[dim];
    }
    if y == none { y = parts[0]; }
    if place_of(y) == none {                      // what has no elements has a place
        for p in parts {
            if place_of(y) == none && place_of(p) != none {
                let there = place_of(p);
                y = y to @there;
            }
        }
    }
    return y;
}

op unsqueezed(a[..], one: int) -> [.., one] = a;

/// A dimension of one element more, number `dim` of the result: [n, m] with dim = 1 -> [n, 1, m].
///     print(shape(unsqueeze(ones([2, 3]), dim = 1)));    // [2, 1, 3]
fn unsqueeze(x, dim = -1) {
    return unsqueezed(x, one = 1, dim = dim);
}

/// Tensors of one shape side by side along a new dimension, number `dim` of the result; parts is a list of tensors.
///     print(stack([[1, 2] as i32, [3, 4] as i32], dim = 0));
///     // [[1, 2],
///     //  [3, 4]]
fn stack(parts: list, dim = -1) {
    var rows = [];
    for p in parts {
        let many = rank(shape(p));
        assert(many == rank(shape(parts[0])), message = "`stack` takes tensors of equally many dimensions");
        let wrong = unlike(p, parts[0], many);
        assert(wrong == "", message = "`stack` takes tensors of one shape: " + wrong);
        rows = rows + [unsqueeze(p, dim)];
        let (t, first) = (rows[length(rows) - 1].dtype, rows[0].dtype);
        assert(t == first, message = "`stack` takes tensors of one element type: " + format(first) + " and " + format(t));
    }
    return concat(rows, dim = dim);
}

op element_along(a[.., k], at: int) -> [..] = a[.., at];

/// Without a dimension of one element, number `dim`: [n, 1, m] with dim = 1 -> [n, m].
///     print(shape(squeeze(ones([2, 1, 3]), dim = 1)));    // [2, 3]
fn squeeze(x, dim = -1) {
    assert(shape(x)[dim] == 1, message = "squeeze takes away a dimension of one element");
    return element_along(x, at = 0, dim = dim);
}

/// The list of the tensors that `stack` puts side by side along `dim`: shape(x)[dim] of them.
///     let rows = unstack([[1, 2], [3, 4]] as i32, dim = 0);
///     print(rows[0], rows[1]);    // [1, 2] [3, 4]
fn unstack(x, dim = -1) {
    var parts = [];
    for i in 0..shape(x)[dim] { parts = parts + [element_along(x, at = i, dim = dim)]; }
    return parts;
}

/// Elements `by` places further along `dim`; what leaves at the end comes in at the beginning.
///     print(roll(iota(4), 1), roll(iota(4), -1));    // [3, 0, 1, 2] [1, 2, 3, 0]
fn roll(x, by: int, dim = -1) {
    let n = shape(x)[dim];
    let first = if n > 0 => by - n * floor_div(by, n) else 0;
    if is_known(first) && first == 0 { return x; }
    let head = pad_along(x, n = n, before = first - n, dim = dim);
    let tail = pad_along(x, n = n, before = first, dim = dim);
    return joined(head, tail, at = first, dim = dim);
}

// x with a dimension in front of dimension d, or behind it, along which it is alike, in one with that.
fn with_copies(x, times: int, d: int, behind: int) {
    var (apart, joined) = ([], []);
    for i in 0..rank(x) {
        let n = shape(x)[i];
        if i != d { apart = apart + [n]; } else if behind == 1 { apart = apart + [n, times]; } else { apart = apart + [times, n]; }
        joined = joined + [if i == d => n * times else n];
    }
    return reshape(broadcast(unsqueeze(x, dim = d + behind), apart), joined);
}

/// Each element along `dim`, `times` times in a row.
///     print(repeat([1, 2] as i32, 3));    // [1, 1, 1, 2, 2, 2]
fn repeat(x, times: int, dim = -1) {
    assert(times >= 0, message = "`repeat` takes a number of times that is not negative");
    return with_copies(x, times, if dim < 0 => dim + rank(shape(x)) else dim, 1);
}

/// x side by side with itself, times[d] times along dimension d: [n, m] -> [times[0] n, times[1] m]. Numbers beyond the dimensions of x are for new ones in
/// front.
///     print(tile([[1, 2]] as i32, [2, 2]));
///     // [[1, 2, 1, 2],
///     //  [1, 2, 1, 2]]
fn tile(x, times: list) {
    assert(length(times) >= rank(shape(x)), message = "`tile` takes a number for each dimension, and more in front for new ones");
    var y = x;
    for d in rank(shape(x))..length(times) { y = unsqueeze(y, dim = 0); }
    for d in 0..length(times) {
        assert(times[d] >= 0, message = "`tile` takes numbers of times that are not negative");
        if times[d] != 1 { y = with_copies(y, times[d], d, 0); }
    }
    return y;
}

/// The coordinates of a grid: of lines [n], [m], … a list of tensors [n, m, …], part d alike but along dimension d.
///     let (y, x) = (meshgrid([iota(2), iota(3)])[0], meshgrid([iota(2), iota(3)])[1]);
///     print(y, x);
///     // [[0, 0, 0],
///     //  [1, 1, 1]] [[0, 1, 2],
///     //  [0, 1, 2]]
fn meshgrid(lines: list) {
    var sizes = [];
    for x in lines { sizes = sizes + [shape(x)[0]]; }
    var parts = [];
    for d in 0..length(lines) {
        var y = lines[d];
        for i in d + 1..length(lines) { y = unsqueeze(y); }
        parts = parts + [broadcast(y, sizes)];
    }
    return parts;
}

/// The differences of neighbours along `dim`: [.., n] -> [.., n - 1].
///     print(diff([1, 4, 9] as i32));    // [3, 5]
fn diff(x, dim = -1) {
    let n = shape(x)[dim] - 1;
    return pad_along(x, n = n, before = -1, dim = dim) - pad_along(x, n = n, before = 0, dim = dim);
}

/// The area below a line through points along `dim`, dx apart or at the places x[n] or x[.., n]: [.., n] -> [..].
///     print(trapezoid([1.0, 2.0, 3.0] as f32), trapezoid([1.0, 3.0] as f32, x = [0.0, 4.0] as f32));    // 4 8
fn trapezoid(y, x = none, dx = 1.0, dim = -1) {
    let n = shape(y)[dim];
    if n == 0 { return sum(y, dim = dim); }
    let heights = part_along(y, 1, n - 1, dim) + part_along(y, 0, n - 1, dim);
    if x == none { return 0.5 * dx * sum(heights, dim = dim); }
    let widths = diff(x, dim = if rank(x) == 1 => -1 else dim);
    return 0.5 * sum(if rank(x) == 1 => scaled_along(heights, widths, dim = dim) else heights * widths, dim = dim);
}

op filled_outside(a[.., n], v[], from: int, end: int) -> [.., n] = if n >= from && n < end => a else v;

// So many elements along dim from number `from` on.
fn part_along(x, from: int, count: int, dim) { return pad_along(x, n = count, before = -from, dim = dim); }

/// Elements before and after, along `dim`: zeros (false), or `value`. mode = "reflect": what stands beside the first and the last, mirrored; "symmetric":
/// mirrored with the first and the last themselves; "edge": the first and the last again; "wrap": as if x came again and again.
///     print(pad([1, 2] as i32, before = 1, after = 2), pad([1, 2] as i32, after = 1, value = 9));    // [0, 1, 2, 0, 0] [1, 2, 9]
///     let x = [1, 2, 3] as i32;
///     print(pad(x, 1, 2, mode = "reflect"), pad(x, 1, 1, mode = "edge"), pad(x, 1, 1, mode = "wrap"));    // [2, 1, 2, 3, 2, 1] [1, 1, 2, 3, 3] [3, 1, 2, 3, 1]
///     print(pad(x, 2, 1, mode = "symmetric"));    // [2, 1, 1, 2, 3, 3]
fn pad(x, before: int = 0, after: int = 0, dim = -1, value = none, mode: string = "value") {
    assert(mode == "value" || mode == "reflect" || mode == "symmetric" || mode == "edge" || mode == "wrap",
           message = "a mode of `pad` is \"reflect\", \"symmetric\", \"edge\" or \"wrap\"; without one there are zeros, or `value`");
    if mode != "value" { return beside_itself(x, before, after, dim, mode); }
    let n = shape(x)[dim];
    let y = pad_along(x, n = before + n + after, before = before, dim = dim);
    if value == none { return y; }
    if x.dtype != bool && is_known(value) { if value == 0 { return y; } }
    return filled_outside(y, value, from = before, end = before + n, dim = dim);
}

fn beside_itself(x, before: int, after: int, dim, mode: string) {
    let n = shape(x)[dim];
    let most = if mode == "reflect" => n - 1 else if mode == "edge" => before + after else n;
    assert(before >= 0 && after >= 0, message = "with a mode `pad` takes nothing off");
    assert(n > 0 && before <= most && after <= most, message = "`pad` mirrors less than there is beside an end, and begins again once");
    if mode == "edge" {
        return concat([repeat(part_along(x, 0, 1, dim), before, dim), x, repeat(part_along(x, n - 1, 1, dim), after, dim)], dim = dim);
    }
    if mode == "wrap" { return concat([part_along(x, n - before, before, dim), x, part_along(x, 0, after, dim)], dim = dim); }
    let outer = if mode == "reflect" => 1 else 0;          // how many elements at each end are not repeated
    return concat([flip(part_along(x, outer, before, dim), dim = dim), x, flip(part_along(x, n - outer - after, after, dim), dim = dim)], dim = dim);
}

op lower(a[.., i, j], last: int) -> [.., i, j] = if j - i <= last => a else 0;
op upper(a[.., i, j], first: int) -> [.., i, j] = if j - i >= first => a else 0;
op lower_of_bools(a[.., i, j]: bool, last: int) -> [.., i, j] = a && j - i <= last;
op upper_of_bools(a[.., i, j]: bool, first: int) -> [.., i, j] = a && j - i >= first;

/// The last two dimensions up to a diagonal (0: the main one, 1: the one above it), 0, or false, above that.
///     print(tril(ones([3, 3])));
///     // [[1, 0, 0],
///     //  [1, 1, 0],
///     //  [1, 1, 1]]
fn tril(x, diagonal: int = 0) {
    return if x.dtype == bool => lower_of_bools(x, last = diagonal) else lower(x, last = diagonal);
}

/// The last two dimensions from a diagonal on, 0, or false, below that.
///     print(triu(ones([3, 3]), diagonal = 1));
///     // [[0, 1, 1],
///     //  [0, 0, 1],
///     //  [0, 0, 0]]
fn triu(x, diagonal: int = 0) {
    return if x.dtype == bool => upper_of_bools(x, first = diagonal) else upper(x, first = diagonal);
}

op main_diagonal(a[.., i, i]) -> [.., i] = a;
op diagonal_at(a[.., i, j], n: int, below: int, right: int) -> [.., n] = a[.., n + below, n + right];

/// A diagonal of the last two dimensions, the main one (0), the one above it (1), …: [.., n, m] -> [.., as many as there are].
///     print(diagonal([[1, 2], [3, 4]] as i32), diagonal([[1, 2, 3], [4, 5, 6]] as i32, offset = 1));    // [1, 4] [2, 6]
fn diagonal(x, offset: int = 0) {
    let (n, m) = (shape(x)[-2], shape(x)[-1]);
    if offset == 0 && n == m { return main_diagonal(x); }
    let (below, right) = (max(-offset, 0), max(offset, 0));
    return diagonal_at(x, n = max(min(n - below, m - right), 0), below = below, right = right);
}
/// The sum of the diagonal: [.., n, n] -> [..].
///     print(trace([[1, 2], [3, 4]] as i32));    // 5
op trace(a[.., i, i]) -> [..] = sum[i] a;
op as_diagonal(a[.., i], n: int) -> [.., i, n] = if i == n => a else 0;
op bools_as_diagonal(a[.., i]: bool, n: int) -> [.., i, n] = a && i == n;

/// Matrices with the lines of x on their diagonals, 0 elsewhere: [.., n] -> [.., n, n]; on the one above the main diagonal (1), …, of as many more rows
/// and columns.
///     print(diag([1, 2] as i32));
///     // [[1, 0],
///     //  [0, 2]]
///     print(diag([7] as i32, offset = -1));
///     // [[0, 0],
///     //  [7, 0]]
fn diag(x, offset: int = 0) {
    let n = shape(x)[-1];
    let y = if x.dtype == bool => bools_as_diagonal(x, n = n) else as_diagonal(x, n = n);
    if offset == 0 { return y; }
    let (below, right) = (max(-offset, 0), max(offset, 0));
    let rows = pad(y, before = below, after = right, dim = -2);
    return pad(rows, before = right, after = below);
}

/// All dimensions but the first in one: [n, ..] -> [n, m].
///     print(shape(flatten(ones([2, 3, 4]))));    // [2, 12]
fn flatten(x) {
    return reshape(x, [shape(x)[0], -1]);
}

// ---- made from nothing ----

op fill(v[], shape: shape, dtype: dtype) -> [..] = v as dtype;

/// One value everywhere, made in the element type that is asked for: `full(…) as f64` converts what was rounded to f32.
///     print(full(0.5, [2, 2]));
///     // [[0.5, 0.5],
///     //  [0.5, 0.5]]
///     print(full(0.99, [1], dtype = f64), full(0.99, [1]) as f64);    // [0.99] [0.990000009536743]
fn full(value, shape: shape, dtype: dtype = f32) {
    return fill(value, shape, dtype);
}

/// 0 everywhere.
///     print(zeros([3]), zeros([2], dtype = i32));    // [0, 0, 0] [0, 0]
fn zeros(shape: shape, dtype = f32) {
    return fill(0, shape, dtype);
}

/// 1 everywhere.
///     print(ones([3]));    // [1, 1, 1]
fn ones(shape: shape, dtype = f32) {
    return fill(1, shape, dtype);
}

op on_diagonal(n: int, m: int, at: int, dtype: dtype) -> [n, m] = where(m - n == at, 1, 0) as dtype;

/// 1 on the diagonal of an n by n matrix, 0 elsewhere; of n by `columns`, on the diagonal (1: the one above the main one), if they are given.
///     print(eye(2));
///     // [[1, 0],
///     //  [0, 1]]
///     print(eye(2, columns = 3, diagonal = 1));
///     // [[0, 1, 0],
///     //  [0, 0, 1]]
fn eye(n: int, dtype: dtype = f32, columns = none, diagonal: int = 0) {
    let m = if columns == none => n else columns;
    assert(n >= 0 && m >= 0, message = "numbers of lines and columns are not negative");
    return on_diagonal(n = n, m = m, at = diagonal, dtype = dtype);
}

/// 0, 1, ... n - 1 as i64.
///     print(iota(4));    // [0, 1, 2, 3]
op iota(n: int) -> [n] = n;

op steps_between(n: int, low[]: f64, high[]: f64, last: int) -> [n] = low + (high - low) * (n as f64) / (last as f64);

/// n numbers from low to high, equally far apart.
///     print(linspace(0.0, 1.0, 5));    // [0, 0.25, 0.5, 0.75, 1]
fn linspace(low, high, n: int, dtype: dtype = f32) {
    assert(n >= 0, message = "a number of elements is not negative");
    return steps_between(n, low, high, max(n - 1, 1)) as dtype;
}

op draw_uniform(key[]: rngkey, shape: shape, dtype: dtype) -> [..] = random_uniform(key, linear()) as dtype;
op draw_normal(key[]: rngkey, shape: shape, dtype: dtype) -> [..] = random_normal(key, linear()) as dtype;

// What draws take, if it is a number of the host; tensors are not looked at, since all ranks would have to hear of it.
fn check_spread(std) { if !is_tensor(std) { assert(std >= 0.0, message = "`std` is not negative"); } }
fn check_order(low, high) {
    if !is_tensor(low) && !is_tensor(high) { assert(low <= high, message = "`low` is not above `high`"); }
}

/// Numbers in [low, high). The element at a place depends on the key and its logical position alone, so on no layout.
///     print(uniform(rng(1), [3]), uniform(rng(1), [2], low = -1.0, high = 1.0));
///     // [0.601286, 0.999898, 0.0699788] [0.202571, 0.999795]
fn uniform(key: rngkey, shape: shape, low = 0.0, high = 1.0, dtype: dtype = f32) {
    check_order(low, high);
    let u = draw_uniform(key, shape, dtype);
    if is_known(low) && is_known(high) && low == 0.0 && high == 1.0 { return u; }
    return broadcast(low + (high - low) * u, shape);
}

/// Normally distributed numbers.
///     print(normal(rng(1), [3]), normal(rng(1), [2], std = 0.1, mean = 5.0));
///     // [-0.927975, -0.0128493, -0.42043] [4.9072, 4.99871]
fn normal(key: rngkey, shape: shape, std = 1.0, mean = 0.0, dtype: dtype = f32) {
    check_spread(std);
    let z = std * draw_normal(key, shape, dtype);
    if is_known(mean) && mean == 0.0 { return broadcast(z, shape); }
    return broadcast(z + mean, shape);
}

/// True with probability p.
///     print(bernoulli(rng(1), [4], p = 0.25));    // [false, false, true, false]
fn bernoulli(key: rngkey, shape: shape, p = 0.5) {
    if !is_tensor(p) { assert(0.0 <= p && p <= 1.0, message = "`p` is a probability, 0 to 1"); }
    return broadcast(draw_uniform(key, shape, f32) < p, shape);
}

op draw_int(key[]: rngkey, shape: shape, count[]: i64, low[]: i64) -> [..]
    = low + floor_div(random_bits(key, linear()) as i64 * count, 4294967296);

/// Integers from low to high - 1, all as likely up to (high - low) / 2^32; high - low is at most 2^31.
///     print(randint(rng(1), [6], 0, 10));    // [6, 9, 0, 7, 0, 0]
fn randint(key: rngkey, shape: shape, low: int, high: int, dtype = i32) {
    assert(low < high, message = "`randint` draws from `low` up to `high` - 1: `high` is above `low`");
    assert(high - low <= 2147483648, message = "`randint` draws from at most 2^31 numbers");
    return draw_int(key, shape, high - low, low) as dtype;
}

/// Draws of the Gumbel distribution, -ln(-ln(u)).
///     print(gumbel(rng(1), [3]));    // [0.185955, 0.583764, -0.243661]
fn gumbel(key: rngkey, shape: shape, dtype: dtype = f32) {
    return (-ln(-ln(draw_uniform(key, shape, f64)))) as dtype;
}

/// Draws of the exponential distribution, whose mean is 1 / rate; rate is a number or a tensor.
///     print(exponential(rng(1), [3]));    // [0.572548, 0.849731, 0.327361]
fn exponential(key: rngkey, shape: shape, rate = 1.0, dtype: dtype = f32) {
    if !is_tensor(rate) { assert(rate > 0.0, message = "`rate` is positive"); }
    return broadcast(((-log1p(-draw_uniform(key, shape, f64))) as dtype) / rate, shape);
}

/// Draws of the Laplace distribution: as likely as exp(-|x - mean| / scale).
///     print(laplace(rng(1), [3]));    // [-0.137164, 0.156584, -0.582765]
fn laplace(key: rngkey, shape: shape, scale = 1.0, mean = 0.0, dtype: dtype = f32) {
    if !is_tensor(scale) { assert(scale >= 0.0, message = "`scale` is not negative"); }
    let u = draw_uniform(key, shape, f64) - 0.5;
    return broadcast(mean + scale * ((-sign(u) * log1p(-2.0 * abs(u))) as dtype), shape);
}

/// Normally distributed numbers from mean + low * std to mean + high * std alone. By the inverse of the distribution function, so bounds
/// on one side should not both be beyond 7.
///     print(truncated_normal(rng(1), [3]), truncated_normal(rng(1), [2], low = 0.0, high = 1.0));
///     // [-0.153937, 0.174268, -0.555654] [0.382074, 0.511243]
fn truncated_normal(key: rngkey, shape: shape, low = -2.0, high = 2.0, std = 1.0, mean = 0.0, dtype: dtype = f32) {
    check_order(low, high);
    check_spread(std);
    let (a, b) = (erf(low * 0.7071067811865476), erf(high * 0.7071067811865476));
    let z = 1.4142135623730951 * erfinv(a + (b - a) * draw_uniform(key, shape, f64));
    return broadcast(mean + std * (min(max(z, low), high) as dtype), shape);
}

op spread(a[..], shape: shape) -> [..] = a as f64;

op draw_gamma(key[]: rngkey, alpha[..]: f64) -> [..] = random_gamma(key, linear(), alpha) as f64;

/// Draws of the gamma distribution, as likely as x^(alpha - 1) exp(-x); alpha > 0 is a number or a tensor that fits the shape. By tries (Marsaglia, Tsang, 2000)
/// of which a twentieth at most is refused. No derivative by alpha.
///     print(gamma(rng(1), [3], 2.5));    // [3.87839, 0.992965, 3.78695]
fn gamma(key: rngkey, shape: shape, alpha, dtype: dtype = f32) {
    if !is_tensor(alpha) { assert(alpha > 0.0, message = "`alpha` is positive"); }
    let a = stop_gradient(spread(alpha, shape));
    let less = exp(ln(draw_uniform(key, shape, f64)) / a);
    return where(a > 0.0, draw_gamma(key, where(a < 1.0, a + 1.0, a)) * where(a < 1.0, less, 1.0), 0.0 / 0.0) as dtype;
}

/// Draws of the beta distribution, as likely as x^(a - 1) (1 - x)^(b - 1); a and b as alpha of gamma.
///     print(beta(rng(1), [3], 2.0, 3.0));    // [0.289047, 0.551898, 0.596114]
fn beta(key: rngkey, shape: shape, a, b, dtype: dtype = f32) {
    if !is_tensor(a) && !is_tensor(b) { assert(a > 0.0 && b > 0.0, message = "`a` and `b` are positive"); }
    let x = gamma(fold(key, 0), shape, a, f64);
    return (x / (x + gamma(fold(key, 1), shape, b, f64))) as dtype;
}

/// Draws of the Dirichlet distribution, one along the last dimension for each line of alpha[.., k]: [.., k], whose sum is 1.
///     print(dirichlet(rng(1), [1.0, 2.0, 3.0] as f32));    // [0.258128, 0.097744, 0.644128]
fn dirichlet[t: float](key: rngkey, alpha: t[..]) {
    let x = gamma(key, shape(alpha), alpha, f64);
    return div_along(x, finish(sum_along(x))) as t;
}

op draw_poisson(key[]: rngkey, rate[..]: f64) -> [..] = random_poisson(key, linear(), rate) as f64;

/// Draws of the Poisson distribution, counts whose mean is rate, a number or a tensor that fits the shape: 0 to 10^9. Below 10 by the
/// inverse of the distribution function, from there on by tries of which three of ten are refused at the most. No derivative by the rate.
///     print(poisson(rng(1), [4], 3.0), poisson(rng(1), [3], 1000.0));    // [3, 3, 2, 1] [1043, 1004, 1015]
fn poisson(key: rngkey, shape: shape, rate, dtype = i32) {
    if !is_tensor(rate) { assert(rate >= 0.0, message = "`rate` is not negative"); }
    let r = stop_gradient(spread(rate, shape));
    return draw_poisson(key, r) as dtype;
}

/// A class drawn with probability softmax(logits) along `dim`: i32, a dimension less than the logits. The class of the largest sum of
/// logit and Gumbel draw (Gumbel, Statistical theory of extreme values, 1954); split classes exchange a maximum and a position.
///     print(categorical(rng(1), [[0.0, 0.0], [0.0, 9.0]] as f32));    // [1, 1]
fn categorical(key: rngkey, logits, dim = -1) {
    assert(shape(logits)[dim] > 0, message = "there is a class to draw at least");
    let z = logits + gumbel(key, shape(logits), logits.dtype);
    return finish(first_equal(z, finish(max_along(z, dim = dim)), dim = dim)) as i32;
}

op drawn_order(key[]: rngkey, n: int) -> [n] = random_position(key, n, extent(n)) as i32;

/// 0 to n - 1 in an order drawn from the key: i32. Up to 4096 the order of as many numbers that are drawn. Of more a permutation that the key
/// chooses, by a Feistel network of eight rounds over the product of two numbers near sqrt(n), which is walked until it is below n (Black,
/// Rogaway, Ciphers with arbitrary finite domains, 2002): each rank computes its own part, and 2^64 of all orders can come.
///     print(permutation(rng(1), 6));    // [3, 4, 1, 0, 2, 5]
fn permutation(key: rngkey, n: int) {
    assert(n >= 0, message = "a number of elements is not negative");
    if n <= 4096 { return ranking(draw_uniform(key, [n], f64)); }
    assert(n <= 2147483648, message = "a permutation is of at most 2^31 elements");
    return drawn_order(fold(key, 1886745197), n = n);
}

// ---- data as indices ----

/// Rows of a table: t[v, d], i[..] -> [.., d]. An i outside of 0..v ends the program; of `i?`, here and below, it reads 0 and adds nothing.
///     print(embed([[1.0, 2.0], [3.0, 4.0]], [1, 1, 0] as i32));
///     // [[3, 4],
///     //  [3, 4],
///     //  [1, 2]]
op embed(t[v, d], i[..]: int) -> [.., d] = t[i, d];
/// The element that i names of every row: a[.., k], i[..] -> [..].
///     print(pick([[1, 2, 3], [4, 5, 6]], [2, 0] as i32));    // [3, 4]
op pick(a[.., k], i[..]: int < k) -> [..] = sum[k] where(k == i, a, 0);
/// Rows of u added up at the places i says: i[n], u[n, ..] -> [rows, ..].
///     print(scatter_add([1, 1, 0] as i32, [[1.0], [2.0], [4.0]], 3));
///     // [[4],
///     //  [3],
///     //  [0]]
op scatter_add(i[n]: int, u[n, ..], rows: int) -> [i < rows, ..] = sum[n] u;
op indicator(i[..]: int < c, c: int, dtype: dtype) -> [.., c] = where(i == c, 1, 0) as dtype;

/// 1 at the class, else 0: i[..] -> [.., classes]. A class outside of 0..classes ends the program; of `i?` it is 0 everywhere.
///     print(one_hot([2, 0] as i32, 3));
///     // [[0, 0, 1],
///     //  [1, 0, 0]]
fn one_hot(i, classes: int, dtype: dtype = f32) {
    return indicator(i, classes, dtype);
}

/// The elements that i names along `dim`: a[.., v], i[.., k] -> [.., k], the other dimensions alike.
///     print(take_along([[1, 2, 3], [4, 5, 6]], [[2, 2], [0, 1]] as i32));
///     // [[3, 3],
///     //  [4, 5]]
op take_along(a[.., v], i[.., k]: int) -> [.., k] = a[.., i];
/// The positions i along `dim`, the same in every line: a[.., v], i[k] -> [.., k].
///     print(take([[1, 2, 3], [4, 5, 6]], [2, 0] as i32));
///     // [[3, 1],
///     //  [6, 4]]
op take(a[.., v], i[k]: int) -> [.., k] = a[.., i];
/// u added up along `dim` at the positions i says: i[.., k], u[.., k] -> [.., n]. What take_along reads, the other way round.
///     print(add_along_at([[0, 2, 2]] as i32, [[1.0, 2.0, 4.0]], 3));    // [[1, 0, 6]]
op add_along_at(i[.., k]: int, u[.., k], n: int) -> [.., i < n] = sum[k] u;
/// The largest of u, along `dim`, of those that are to go to the position i says, -inf (of ints the smallest there is) where none is: i[.., k], u[.., k] -> [.., n].
///     print(max_along_at([[0, 2, 2]] as i32, [[1, 2, 4]], 3)[0, 2]);    // 4
op max_along_at(i[.., k]: int, u[.., k], n: int) -> [.., i < n] = max[k] u;
/// The smallest of them, inf (of ints the largest there is) where none is.
///     print(min_along_at([[0, 2, 2]] as i32, [[1, 2, 4]], 3)[0, 2]);    // 2
op min_along_at(i[.., k]: int, u[.., k], n: int) -> [.., i < n] = min[k] u;
/// The products of them, 1 where none is. They have no derivative.
///     print(prod_along_at([[0, 2, 2]] as i32, [[3.0, 2.0, 4.0]], 3));    // [[3, 1, 8]]
op prod_along_at(i[.., k]: int, u[.., k], n: int) -> [.., i < n] = prod[k] u;
op last_along_at(i[.., k]: int, n: int) -> [.., i < n] = max[k] k;

/// a with u at the positions along `dim` that i says, of which the last counts where several are one: a[.., v], i[.., k], u[.., k] -> [.., v]; u may be one number.
/// What take_along reads, written.
///     print(put_along([[1, 2, 3], [4, 5, 6]] as i32, [[2, 2], [0, 1]] as i32, [[7, 8], [9, 0]] as i32));
///     // [[1, 2, 8],
///     //  [9, 0, 6]]
fn put_along(a, i, u, dim = -1) {
    let last = last_along_at(i, n = shape(a)[dim], dim = dim);
    if is_tensor(u) && rank(u) == rank(a) { return where(last >= 0, take_along(u, last?, dim = dim), a); }
    return where(last >= 0, u, a);
}

/// How often each number of 0..count is in i[n]: i32[count]. One outside ends the program; of `i?` it is not counted.
///     print(bincount([0, 2, 2] as i32, 4));    // [1, 0, 2, 0]
op bincount(i[n]: int, count: int) -> [i < count] = sum[n] 1;
op box_of(x[..], low: f64, high: f64, bins: int) -> [..]
    = (if x == high => bins - 1 else if x >= low && x < high => min(floor((x - low) * (bins / (high - low))), bins - 1) else -1) as i32;

/// How many elements of x are in each of so many equal parts of low to high, which belongs to the last part: i32[bins]. What is outside is not counted.
///     print(histogram([0.0, 0.1, 0.9, 2.0, 3.0] as f32, 2, 0.0, 2.0));    // [3, 1]
fn histogram(x, bins: int, low: float, high: float) {
    assert(bins > 0, message = "there is one part at least");
    assert(low < high, message = "`low` is below `high`");
    return bincount(box_of(reshape(x, [-1]), low, high, bins)?, bins);
}

/// Whether each x is one of the values[n]: bool[..].
///     print(is_in([1, 2, 3] as i32, [3, 1] as i32));    // [true, false, true]
op is_in(x[..], values[k]) -> [..] = any[k] (x == values);

// ---- segments: elements along `dim` that have the same id, sorted or not. An id outside of 0..count ends the program; of `ids?` it counts for nothing ----

/// Sums: x[.., n], ids[n] -> [.., count].
///     print(segment_sum([1, 2, 4], [0, 2, 2] as i32, 3));    // [1, 0, 6]
op segment_sum(x[.., k], ids[k]: int, count: int) -> [.., ids < count] = sum[k] x;
/// Largest elements, -inf (of ints the smallest there is) where there is none: x[.., n], ids[n] -> [.., count].
///     print(segment_max([1, 2, 4], [0, 1, 1] as i32, 2));    // [1, 4]
op segment_max(x[.., k], ids[k]: int, count: int) -> [.., ids < count] = max[k] x;
/// Smallest elements, inf (of ints the largest there is) where there is none: x[.., n], ids[n] -> [.., count].
///     print(segment_min([1, 2, 4], [0, 1, 1] as i32, 2));    // [1, 2]
op segment_min(x[.., k], ids[k]: int, count: int) -> [.., ids < count] = min[k] x;
/// Products, 1 where there is none: x[.., n], ids[n] -> [.., count]. They have no derivative.
///     print(segment_prod([3, 2, 4], [0, 2, 2] as i32, 3));    // [3, 1, 8]
op segment_prod(x[.., k], ids[k]: int, count: int) -> [.., ids < count] = prod[k] x;
op segment_size(ids[k]: int, count: int, dtype: dtype) -> [ids < count] = sum[k] 1 as dtype;

/// Means, 0 where there is nothing: x[.., n], ids[n] -> [.., count].
///     print(segment_mean([1.0, 2.0, 4.0] as f32, [0, 2, 2] as i32, 3));    // [1, 0, 3]
fn segment_mean(x, ids, count: int, dim = -1) {
    let n = finish(segment_size(ids, count, x.dtype));
    return scaled_along(segment_sum(x, ids, count = count, dim = dim), 1.0 / max(n, 1.0), dim = dim);
}
op scaled_along(a[.., k], b[k]) -> [.., k] = a * b;

/// exp(x) / sum(exp(x)) within each segment: x[.., n], ids[n] -> [.., n].
///     print(segment_softmax([0.0, 0.0, 1.0, 5.0] as f32, [0, 0, 0, 1] as i32, 2));    // [0.211942, 0.211942, 0.576117, 1]
fn segment_softmax(x, ids, count: int, dim = -1) {
    let m = stop_gradient(finish(segment_max(x, ids, count = count, dim = dim)));
    let e = exp(x - take(m, ids, dim = dim));
    return e / take(finish(segment_sum(e, ids, count = count, dim = dim)), ids, dim = dim);
}

// ---- positions ----

/// The first position along `dim` at which a equals m: a[.., k], m[..] -> [..], i64; what no position equals gives the largest i64.
///     print(first_equal([[5, 7, 7]], [7]));    // [1]
op first_equal(a[.., k], m[..]) -> [..] = min[k] where(a == m, k, 9223372036854775807);

// ---- order ----

/// How many elements of its line come before each: a smaller one, or an equal one at a lower position; NaN comes after every number.
///     let x = [30, 10, 20] as i32;
///     print(ranking_up(x, x));    // [2, 0, 1]
op ranking_up(a[.., i], b[.., j]) -> [.., i]
    = sum[j] (b < a || (a != a && b == b) || (j < i && (b == a || (a != a && b != b))));
/// The same from the largest on; NaN comes before every number.
///     let x = [30, 10, 20] as i32;
///     print(ranking_down(x, x));    // [0, 2, 1]
op ranking_down(a[.., i], b[.., j]) -> [.., i]
    = sum[j] (b > a || (b != b && a == a) || (j < i && (b == a || (a != a && b != b))));
op in_order(x[.., v], i[.., k]: int) -> [.., k] = x[.., i?];
op position_along(r[.., i]: int, n: int) -> [.., r? < n] = sum[i] i as i32;

/// Where each element stands once its line along `dim` is sorted: i32. Equal elements keep their order; NaN counts as larger than
/// every number. Lines that lie on one rank are sorted; split lines want a `to`.
///     print(ranking([30, 10, 20]), ranking([30, 10, 20], descending = true));    // [2, 0, 1] [0, 2, 1]
fn ranking(x, dim = -1, descending = false) {
    if descending { return ranking_down(x, x, dim = dim); }
    return ranking_up(x, x, dim = dim);
}

/// x sorted along `dim`, equal elements in their order, NaN behind all numbers; its derivative goes where the element came from.
///     let x = [[3.0, 1.0], [2.0, 4.0]] as f32;
///     print(sort(x));
///     // [[1, 3],
///     //  [2, 4]]
///     print(sort(x, dim = 0));
///     // [[2, 1],
///     //  [3, 4]]
///     print(sort([3.0, 1.0, 2.0] as f32, descending = true));    // [3, 2, 1]
fn sort(x, dim = -1, descending = false) {
    return in_order(x, argsort(x, dim, descending), dim = dim);
}

/// The positions along `dim` in the order of their elements, i32: take_along(x, argsort(x)) is sort(x).
///     print(argsort([3.0, 1.0, 2.0] as f32));    // [1, 2, 0]
fn argsort(x, dim = -1, descending = false) {
    return position_along(ranking(x, dim, descending), n = shape(x)[dim], dim = dim);
}

/// The k largest elements along `dim`, from the largest on, or the smallest, from the smallest on, and their positions (i32): (values, positions).
///     let (values, at) = top_k([3.0, 1.0, 2.0], 2);
///     print(values, at);    // [3, 2] [0, 2]
///     print(top_k([3.0, 1.0, 2.0], 2, smallest = true)[0]);    // [1, 2]
fn top_k(x, k: int, dim = -1, smallest: bool = false) {
    let order = ranking(x, dim, !smallest);
    assert(0 <= k && k <= shape(order)[dim], message = "`top_k` takes as many elements as there are at the most");
    let at = position_along(order, n = k, dim = dim);
    return (in_order(x, at, dim = dim), at);
}

op less_first(r[..], first[]) -> [..] = r - first;
op between(a[.., k], i[]: int, j[]: int, part[]: f64, dtype: dtype) -> [..]
    = if part > 0.0 => (1.0 - part) as dtype * a[.., i] + part as dtype * a[.., j] else a[.., i];

/// The number below which the share q of the elements along `dim` lies, 0 <= q <= 1, by a straight line between neighbours: [.., n] -> [..].
/// NaN counts as larger than every number. q is a number, a tensor of one, or a list of such, whose numbers stand side by side in the first dimension.
///     let x = [4.0, 1.0, 2.0] as f32;
///     print(quantile(x, 0.25), quantile(x, [0.5, 1.0]));    // 1.5 [2, 4]
fn quantile(x, q, dim = -1) {
    if is_list(q) {
        var all = [];
        for one in q { all = all + [quantile(x, one, dim)]; }
        return stack(all, dim = 0);
    }
    assert(shape(x)[dim] > 0, message = "there is an element to take at least");
    assert(q >= 0.0 && q <= 1.0, message = "`quantile` takes a share of 0 to 1");
    let at = full((q as f64) * (shape(x)[dim] - 1.0), [], dtype = f64);
    let (below, two) = (floor(at), if shape(x)[dim] > 1 => 2 else 1);
    let first = min(below as i32, (shape(x)[dim] - two) as i32);
    let places = position_along(less_first(ranking(x, dim), first), n = two, dim = dim);
    return between(in_order(x, places, dim = dim), below as i32 - first, ceil(at) as i32 - first, at - below, x.dtype, dim = dim);
}

/// The middle element along `dim`, of an even number the mean of two: [.., n] -> [..]. NaN counts as in `quantile`.
///     print(median([4.0, 1.0, 2.0] as f32), median([4.0, 1.0, 2.0, 3.0] as f32));    // 2 2.5
fn median(x, dim = -1) {
    return quantile(x, 0.5, dim);
}

op share_of(count[..], q: f64) -> [..] = q * max(count as f64 - 1.0, 0.0);
op nearer(a[..], b[..], part[..]: f64, count[..], dtype: dtype) -> [..]
    = if count == 0 => 0.0 / 0.0 else if part > 0.0 => (1.0 - part) as dtype * a + part as dtype * b else a;

/// `quantile` of the elements along `dim` that are numbers: not a number where there is none.
///     print(nan_quantile([4.0, nan, 1.0, 2.0] as f32, 0.5));    // 2
fn nan_quantile(x, q: float, dim = -1) {
    assert(shape(x)[dim] > 0, message = "there is an element to take at least");
    assert(q >= 0.0 && q <= 1.0, message = "`nan_quantile` takes a share of 0 to 1");
    let count = finish(sum_along(is_number(x), dim = dim));
    let at = share_of(count, q);
    let line = sort(x, dim);
    let (a, b) = (pick(line, floor(at) as i32, dim = dim), pick(line, ceil(at) as i32, dim = dim));
    return nearer(finish(a), finish(b), at - floor(at), count, x.dtype);
}

op at_first(x[..]) -> [..] = (if x == x => 0 else 0) as i32;
op beyond(a[v], at[..]: int, x[..], step: int) -> [..] = (if a[at?] >= x || a[at?] != a[at?] => 0 else step) as i32;
op beyond_equal(a[v], at[..]: int, x[..], step: int) -> [..] = (if a[at?] > x || (a[at?] != a[at?] && x == x) => 0 else step) as i32;
op beyond_of_line(a[.., v], at[.., k]: int, x[.., k], step: int) -> [.., k] = (if a[.., at?] >= x || a[.., at?] != a[.., at?] => 0 else step) as i32;
op beyond_equal_of_line(a[.., v], at[.., k]: int, x[.., k], step: int) -> [.., k]
    = (if a[.., at?] > x || (a[.., at?] != a[.., at?] && x == x) => 0 else step) as i32;

// The largest power of 2 that is not above n; 0 of 0.
fn power_up_to(n: int) { return if n < 2 => n else 2 * power_up_to(floor_div(n, 2)); }

// Those at `low` and further behind, where so many elements of a are passed.
fn bisected(a, x, low, step: int, right: bool) {
    if step == 0 { return low; }
    let at = low + (step - 1);
    let passed = if rank(a) > 1 => (if right => beyond_equal_of_line(a, at, x, step) else beyond_of_line(a, at, x, step))
        else if right => beyond_equal(a, at, x, step) else beyond(a, at, x, step);
    return bisected(a, x, low + passed, floor_div(step, 2), right);
}

/// Where each x belongs among a[n], which rises: how many of a are smaller, i32; right = true: or equal. NaN is larger than every number, as for `sort`. By
/// bisection, so a lies whole on each rank of x, which is split as one likes. Of lines a[.., n] each is for the line of x[.., k] in its place.
///     print(searchsorted([1.0, 2.0, 4.0] as f32, [0.5, 2.0, 9.0] as f32));    // [0, 1, 3]
///     print(searchsorted([[1.0, 2.0], [3.0, 4.0]] as f32, [[1.5], [1.5]] as f32));
///     // [[1],
///     //  [0]]
fn searchsorted(a, x, right: bool = false) {
    return bisected(a, x, at_first(x), power_up_to(shape(a)[-1]), right);
}

/// Straight lines between the points (xs[n], ys[n]) at each x, xs rising; beyond the outer points the height of these. xs and ys lie whole on each rank of
/// x, which is split as one likes. At a point the slope is that of the line behind it.
///     print(interp([-1.0, 0.5, 2.5, 9.0] as f32, [0.0, 1.0, 3.0] as f32, [0.0, 10.0, 30.0] as f32));    // [0, 5, 25, 30]
fn interp(x, xs, ys) {
    let last = shape(xs)[0] - 2;
    assert(rank(xs) == 1 && shape(xs) == shape(ys) && last >= 0, message = "`interp` goes through at least two points: xs[n] and ys[n]");
    let k = clamp(searchsorted(xs, x, right = true) - 1, 0, last);
    let at = where(x < xs[0], xs[0], where(x > xs[-1], xs[-1], x));      // not clamp, which has no slope at the ends
    let share = (at - xs[k]) / (xs[k + 1] - xs[k]);
    return ys[k] + share * (ys[k + 1] - ys[k]);
}

op sum_up_to(a[.., j], n: int) -> [.., n] = sum[j] where(j <= n, a, 0);

/// Sums of all elements up to and with each, along `dim`. Bools are counted (i32). Along a split dimension it gives parts, which a `to` finishes by
/// the totals of the shards alone.
///     print(cumsum([1, 2, 3] as i32), cumsum([1, 2, 3] as i32 > 1));    // [1, 3, 6] [0, 1, 2]
fn cumsum(x, dim = -1) {
    let n = shape(x)[dim];
    return sum_up_to(if x.dtype == bool => x as i32 else x, n = n, dim = dim);
}

op prod_up_to(a[.., j], n: int) -> [.., n] = prod[j] where(j <= n, a, 1);
op max_up_to(a[.., j], n: int) -> [.., n] = max[j] where(j <= n, a, -inf);
op min_up_to(a[.., j], n: int) -> [.., n] = min[j] where(j <= n, a, inf);

// Of ints, which have no infinity: n - back is a place or none.
op max_back(a[.., j], n: int, back: int) -> [.., n] = max[back] a[.., n - back];
op min_back(a[.., j], n: int, back: int) -> [.., n] = min[back] a[.., n - back];

fn is_float(x) { return x.dtype == f32 || x.dtype == f64 || x.dtype == bf16 || x.dtype == f16; }

/// Products of all elements up to and with each, along `dim`.
///     print(cumprod([1, 2, 3] as i32));    // [1, 2, 6]
fn cumprod(x, dim = -1) {
    return prod_up_to(x, n = shape(x)[dim], dim = dim);
}

/// The largest of all elements up to and with each, along `dim`.
///     print(cummax([1.0, 3.0, 2.0] as f32));    // [1, 3, 3]
fn cummax(x, dim = -1) {
    let n = shape(x)[dim];
    return if is_float(x) => max_up_to(x, n = n, dim = dim) else max_back(x, n = n, back = n, dim = dim);
}

/// The smallest of all elements up to and with each, along `dim`.
///     print(cummin([2.0, 3.0, 1.0] as f32));    // [2, 2, 1]
fn cummin(x, dim = -1) {
    let n = shape(x)[dim];
    return if is_float(x) => min_up_to(x, n = n, dim = dim) else min_back(x, n = n, back = n, dim = dim);
}

op or_minus_inf(a[.., n], first: int) -> [.., n] = if n >= first => a else -inf;

/// log(sum(exp(x))) of all elements up to and with each, along `dim`, without overflow.
///     print(logcumsumexp([0.0, 0.0, 1000.0] as f32));    // [0, 0.693147, 1000]
fn logcumsumexp(x, dim = -1) {
    return sums_of_exp(x, 1, dim);
}

// Of what is up to `by` elements back in each already, as far as there are more.
fn sums_of_exp(x, by: int, dim) {
    let n = shape(x)[dim];
    if by >= n { return x; }
    return sums_of_exp(logaddexp(x, or_minus_inf(pad_along(x, n = n, before = by, dim = dim), first = by, dim = dim)), 2 * by, dim);
}

// ---- normalisation ----

// What functions of several steps compute of 16 bits in f32, and round once.
fn is_narrow(x) { return if is_list(x) => false else x.dtype == bf16 || x.dtype == f16; }
fn in_f32(x) { return if x == none => none else x as f32; }

// What is infinite or no number is not taken off: inf - inf would be NaN.
op or_zero(a[..]) -> [..] = where(a - a == 0, a, 0);

/// log(sum(exp(x))) along `dim`, which may be a list, without overflow. Of nothing but -inf it is -inf.
///     print(logsumexp([0.0, 0.0]), logsumexp([[1000.0, 1000.0]]));    // 0.693147 [1000.69]
fn logsumexp(x, dim = -1) {
    let m = or_zero(stop_gradient(finish(along(max_along, x, dim))));
    return ln(finish(along(sum_along, exp_less_along(x, m, dim), dim))) + m;
}

/// exp(x) / sum(exp(x)) along `dim`, which may be a list.
///     print(softmax([0.0, 0.0, 1.0]));    // [0.211942, 0.211942, 0.576117]
fn softmax(x, dim = -1) {
    let m = stop_gradient(finish(along(max_along, x, dim)));
    let e = exp_less_along(x, m, dim);
    let total = finish(along(sum_along, e, dim));
    return if is_list(dim) => e / above(total, x, dim) else div_along(e, total, dim = dim);
}

/// log(softmax(x)) along `dim`, which may be a list. Of 16 bits it is computed in f32 and rounded once.
///     print(log_softmax([0.0, 0.0]));    // [-0.693147, -0.693147]
fn log_softmax(x, dim = -1) {
    if is_narrow(x) { return log_softmax(x as f32, dim) as x.dtype; }
    let m = stop_gradient(finish(along(max_along, x, dim)));
    let z = less_along(x, m, dim);
    return less_along(z, ln(finish(along(sum_along, exp(z), dim))), dim);
}

/// Mean 0 and variance 1 along the last dimension, then scaled and shifted, if these are given: x[.., d], scale[d], shift[d] -> [.., d]. Of 16 bits
/// it is computed in f32 and rounded once.
///     print(layernorm([[1.0, 3.0], [5.0, 5.0]]));
///     // [[-0.999995, 0.999995],
///     //  [0, 0]]
fn layernorm(x, scale = none, shift = none, eps = 1e-5) {
    if is_narrow(x) { return layernorm(x as f32, in_f32(scale), in_f32(shift), eps) as x.dtype; }
    let c = sub_along(x, finish(mean_along(x)));
    let y = mul_along(c, rsqrt(finish(mean_along(c * c)) + eps));
    let z = if scale == none => y else y * scale;
    return if shift == none => z else z + shift;
}

/// Divided by the root of the mean square along the last dimension, then scaled, if a scale is given: x[.., d], scale[d] -> [.., d]. Of 16 bits it is
/// computed in f32 and rounded once.
///     print(rmsnorm([[3.0, 4.0]] as f32));    // [[0.848528, 1.13137]]
fn rmsnorm(x, scale = none, eps = 1e-5) {
    if is_narrow(x) { return rmsnorm(x as f32, in_f32(scale), eps) as x.dtype; }
    let y = mul_along(x, rsqrt(finish(mean_along(x * x)) + eps));
    return if scale == none => y else y * scale;
}

// ---- images: [n, channels, height, width] ----

op conv2d_at(x[n, c, h, v], w[o, c, p, q], y: int, z: int, down: int, right: int, above: int, left: int) -> [n, o, y, z]
    = sum[c, p, q] x[n, c, down * y + p - above, right * z + q - left] * w;
op max_pool2d_at(x[n, c, h, v], p: int, q: int, y: int, z: int, down: int, right: int, above: int, left: int, tall: int, wide: int) -> [n, c, y, z]
    = max[p, q] x[n, c, down * y + tall * p - above, right * z + wide * q - left];
op avg_pool2d_at(x[n, c, h, v], p: int, q: int, y: int, z: int, down: int, right: int, above: int, left: int) -> [n, c, y, z]
    = mean[p, q] x[n, c, down * y + p - above, right * z + q - left];
op sum_pool2d_at(x[n, c, h, v], p: int, q: int, y: int, z: int, down: int, right: int, above: int, left: int) -> [n, c, y, z]
    = sum[p, q] x[n, c, down * y + p - above, right * z + q - left];

op conv2d_grouped(x[n, g, c, h, v], w[g, o, c, p, q], y: int, z: int, down: int, right: int, above: int, left: int, tall: int, wide: int) -> [n, g, o, y, z]
    = sum[c, p, q] x[n, g, c, down * y + tall * p - above, right * z + wide * q - left] * w;
op conv1d_at(x[n, c, t], w[o, c, p], y: int, stride: int, pad: int, dilation: int) -> [n, o, y]
    = sum[c, p] x[n, c, stride * y + dilation * p - pad] * w;
op conv1d_grouped(x[n, g, c, t], w[g, o, c, p], y: int, stride: int, pad: int, dilation: int) -> [n, g, o, y]
    = sum[c, p] x[n, g, c, stride * y + dilation * p - pad] * w;
op conv_transpose2d_at(x[n, c, h, v], w[c, o, p, q], y: int, z: int, down: int, right: int, above: int, left: int) -> [n, o, y, z]
    = sum[c, p, q] x[n, c, (y + above - p) / down, (z + left - q) / right] * w;
op conv_transpose2d_grouped(x[n, g, c, h, v], w[g, c, o, p, q], y: int, z: int, down: int, right: int, above: int, left: int, tall: int, wide: int)
    -> [n, g, o, y, z] = sum[c, p, q] x[n, g, c, (y + above - tall * p) / down, (z + left - wide * q) / right] * w;

// One number for each of so many dimensions: those of a list, or the same for all.
fn for_each(v, dims: int) {
    assert(!is_list(v) || length(v) == dims, message = "a list of sizes, strides, pads and the like has a number for each dimension that windows move along");
    if is_list(v) { return v; }
    var all = [];
    for i in 0..dims { all = all + [v]; }
    return all;
}

// How many windows of `size`, of which neighbours are `dilation` apart, begin `stride` apart in n elements and pad at both ends; ceil: one more, which
// reaches beyond the end, if it begins before that and something is left.
fn windows_along(n: int, size: int, stride: int, pad: int, dilation: int = 1, ceil: bool = false) {
    assert(size > 0 && stride > 0 && dilation > 0 && pad >= 0, message = "sizes, strides and dilations of windows are at least 1, `pad` is not negative");
    let left = n + 2 * pad - dilation * (size - 1) - 1;
    let count = floor_div(left, stride) + 1;
    assert(count > 0, message = "a window is no larger than what it moves over, `pad` included");
    return if ceil && left % stride > 0 && count * stride < n + pad => count + 1 else count;
}

// How many elements n windows of `size`, of which neighbours are `dilation` apart, reach over, which begin `stride` apart, without `pad` at both ends and
// with `after` at the end.
fn spread_along(n: int, size: int, stride: int, pad: int, after: int = 0, dilation: int = 1) {
    assert(stride > 0 && dilation > 0 && pad >= 0, message = "strides and dilations are at least 1, `pad` is not negative");
    assert(0 <= after && (after < stride || after < dilation), message = "`after` is less than the stride, or the dilation");
    let count = (n - 1) * stride - 2 * pad + dilation * (size - 1) + 1 + after;
    assert(count > 0, message = "`pad` takes off less than there is");
    return count;
}

/// x[n, c, h, v] with filters w[o, c, p, q] -> [n, o, (h + 2 pad - dilation (p - 1) - 1) / stride + 1, ...]. groups: channels and filters
/// are in that many groups, w[o, c / groups, p, q]; groups = c: one filter or more for each channel alone.
/// stride, pad and dilation may be lists, of a number for h and one for v.
///     let x = reshape(iota(9), [1, 1, 3, 3]) as f32;
///     print(conv2d(x, ones([1, 1, 2, 2])));
///     // [[[[8, 12],
///     //    [20, 24]]]]
///     print(shape(conv2d(x, ones([4, 1, 3, 3]), pad = 1)));    // [1, 4, 3, 3]
///     print(shape(conv2d(x, ones([4, 1, 1, 3]), stride = [2, 1], pad = [0, 1])));    // [1, 4, 2, 3]
fn conv2d(x, w, stride = 1, pad = 0, dilation = 1, groups: int = 1) {
    let (n, c, h, v) = shape(x);
    let (o, d, p, q) = shape(w);
    let (down, right) = for_each(stride, 2);
    let (above, left) = for_each(pad, 2);
    let (tall, wide) = for_each(dilation, 2);
    let y = windows_along(h, p, down, above, tall);
    let z = windows_along(v, q, right, left, wide);
    assert(groups == 1 || (groups > 0 && c % groups == 0 && o % groups == 0 && d * groups == c), message = "`groups` divides the channels and the filters, which are w[o, c / groups, p, q]");
    if x.dtype == f16 && w.dtype == f16 && p * q > 1 {
        return conv2d(x as f32, w as f32, stride, pad, dilation, groups) as f16;
    }
    if groups == 1 && tall == 1 && wide == 1 { return conv2d_at(x, w, y = y, z = z, down = down, right = right, above = above, left = left); }
    let xs = reshape(x, [n, groups, c / groups, h, v]);
    let ws = reshape(w, [groups, o / groups, d, p, q]);
    return reshape(conv2d_grouped(xs, ws, y = y, z = z, down = down, right = right, above = above, left = left, tall = tall, wide = wide), [n, o, y, z]);
}

/// x[n, c, t] with filters w[o, c, p] -> [n, o, (t + 2 pad - dilation (p - 1) - 1) / stride + 1]. groups: as of conv2d, w[o, c / groups, p].
///     print(conv1d([[[1.0, 2.0, 3.0]]] as f32, [[[1.0, 1.0]]] as f32));    // [[[3, 5]]]
///     print(conv1d([[[1.0, 2.0], [3.0, 4.0]]] as f32, [[[1.0, 1.0]], [[1.0, -1.0]]] as f32, groups = 2));
///     // [[[3],
///     //   [-1]]]
fn conv1d(x, w, stride: int = 1, pad: int = 0, dilation: int = 1, groups: int = 1) {
    let (n, c, t) = shape(x);
    let (o, d, p) = shape(w);
    let y = windows_along(t, p, stride, pad, dilation);
    assert(groups == 1 || (groups > 0 && c % groups == 0 && o % groups == 0 && d * groups == c), message = "`groups` divides the channels and the filters, which are w[o, c / groups, p]");
    if groups == 1 { return conv1d_at(x, w, y = y, stride = stride, pad = pad, dilation = dilation); }
    let xs = reshape(x, [n, groups, c / groups, t]);
    let ws = reshape(w, [groups, o / groups, d, p]);
    return reshape(conv1d_grouped(xs, ws, y = y, stride = stride, pad = pad, dilation = dilation), [n, o, y]);
}

/// What conv2d does to a derivative: x[n, c, h, v] with w[c, o / groups, p, q] -> [n, o, (h - 1) stride - 2 pad + dilation (p - 1) + 1 + after, ...].
/// Of the sizes that conv2d brings to h, `after` says which. All but groups may be lists, as those of conv2d.
///     print(conv_transpose2d(ones([1, 1, 2, 2]), ones([1, 1, 2, 2]), stride = 2));
///     // [[[[1, 1, 1, 1],
///     //    [1, 1, 1, 1],
///     //    [1, 1, 1, 1],
///     //    [1, 1, 1, 1]]]]
fn conv_transpose2d(x, w, stride = 1, pad = 0, after = 0, dilation = 1, groups: int = 1) {
    let (n, c, h, v) = shape(x);
    let (k, o, p, q) = shape(w);
    let (down, right) = for_each(stride, 2);
    let (above, left) = for_each(pad, 2);
    let (tall, wide) = for_each(dilation, 2);
    let (below, beside) = for_each(after, 2);
    let y = spread_along(h, p, down, above, below, tall);
    let z = spread_along(v, q, right, left, beside, wide);
    assert(groups == 1 || (groups > 0 && c % groups == 0 && k == c), message = "`groups` divides the channels, of which there are as many as filters, w[c, o / groups, p, q]");
    if x.dtype == f16 && w.dtype == f16 {
        return conv_transpose2d(x as f32, w as f32, stride, pad, after, dilation, groups) as f16;
    }
    if groups == 1 && tall == 1 && wide == 1 {
        return conv_transpose2d_at(x, w, y = y, z = z, down = down, right = right, above = above, left = left);
    }
    let xs = reshape(x, [n, groups, c / groups, h, v]);
    let ws = reshape(w, [groups, c / groups, o, p, q]);
    let all = conv_transpose2d_grouped(xs, ws, y = y, z = z, down = down, right = right, above = above, left = left, tall = tall, wide = wide);
    return reshape(all, [n, groups * o, y, z]);
}

op repeat2d(x[n, c, h, v], times: int, again: int) -> [n, c, h, times, v, again] = x[n, c, h, v];

/// Each pixel `times` by `times` times: [n, c, h, v] -> [n, c, h * times, v * times].
///     print(upsample2d(reshape(iota(4), [1, 1, 2, 2])));
///     // [[[[0, 0, 1, 1],
///     //    [0, 0, 1, 1],
///     //    [2, 2, 3, 3],
///     //    [2, 2, 3, 3]]]]
fn upsample2d(x, times: int = 2) {
    assert(times > 0, message = "each pixel stands there at least once");
    let (n, c, h, v) = shape(x);
    return reshape(repeat2d(x, times = times, again = times), [n, c, h * times, v * times]);
}

/// The largest of every window of size * size: [n, c, h, v] -> [n, c, (h + 2 pad - dilation (size - 1) - 1) / stride + 1, ...], rounded down, up if ceil =
/// true. What pad adds is never the largest. size, stride, pad and dilation may be lists, of a number for h and one for v.
/// Elements of a window that are equally large share its derivative evenly (in PyTorch the first has it).
///     print(max_pool2d(reshape(iota(16), [1, 1, 4, 4]) as f32));
///     // [[[[5, 7],
///     //    [13, 15]]]]
///     print(max_pool2d(reshape(iota(9), [1, 1, 3, 3]) as f32, ceil = true));
///     // [[[[4, 5],
///     //    [7, 8]]]]
fn max_pool2d(x, size = 2, stride = 2, pad = 0, dilation = 1, ceil: bool = false) {
    let (p, q) = for_each(size, 2);
    let (down, right) = for_each(stride, 2);
    let (above, left) = for_each(pad, 2);
    let (tall, wide) = for_each(dilation, 2);
    let y = windows_along(shape(x)[2], p, down, above, tall, ceil);
    let z = windows_along(shape(x)[3], q, right, left, wide, ceil);
    return max_pool2d_at(x, p = p, q = q, y = y, z = z, down = down, right = right, above = above, left = left, tall = tall, wide = wide);
}

/// The mean of every window of size * size; what pad adds is 0, with padded = false left out. size, stride, pad and ceil as those of max_pool2d; what lies
/// beyond the pad is left out.
///     print(avg_pool2d(reshape(iota(16), [1, 1, 4, 4]) as f32));
///     // [[[[2.5, 4.5],
///     //    [10.5, 12.5]]]]
///     print(avg_pool2d(ones([1, 1, 1, 3]), size = [1, 2], pad = [0, 1]), avg_pool2d(ones([1, 1, 1, 3]), size = [1, 2], pad = [0, 1], padded = false));
///     // [[[[0.5, 1]]]] [[[[1, 1]]]]
fn avg_pool2d(x, size = 2, stride = 2, pad = 0, padded: bool = true, ceil: bool = false) {
    let (p, q) = for_each(size, 2);
    let (down, right) = for_each(stride, 2);
    let (above, left) = for_each(pad, 2);
    let (h, v) = (shape(x)[2], shape(x)[3]);
    let y = windows_along(h, p, down, above, ceil = ceil);
    let z = windows_along(v, q, right, left, ceil = ceil);
    if padded && !ceil { return avg_pool2d_at(x, p = p, q = q, y = y, z = z, down = down, right = right, above = above, left = left); }
    let (more, beside) = if padded => (above, left) else (0, 0);
    let there = sum_pool2d_at(ones([1, 1, h + 2 * more, v + 2 * beside], dtype = x.dtype), p = p, q = q, y = y, z = z, down = down, right = right,
                              above = above - more, left = left - beside);
    return sum_pool2d_at(x, p = p, q = q, y = y, z = z, down = down, right = right, above = above, left = left) / there;
}

// ---- derivatives ----

/// The Hessian of a function of one tensor (or struct, tuple or list of them), whose value is one number, times v: the derivative of its
/// gradient along v.
///     print(hessian_vector(cubes, [1.0, 2.0] as f32, [1.0, 1.0] as f32));    // [6, 12]
fn hessian_vector(f, x, v) {
    let (g, product) = jvp(grad(f, wrt = 0))(x, v);
    return product;
}

// A tensor of that shape for each of its elements, which is 1, others 0.
fn units(shape: shape, dtype: dtype) { return reshape(eye(volume(shape)) as dtype, [volume(shape)] + shape); }

// f(x), of `jvp` where that is a number of the host, which is a tensor there; functions with a rule for cotangents have no `jvp`.
fn tensor_at(f, x) {
    let y = f(x);
    return if is_tensor(y) => y else jvp(f)(x, x)[0];
}

/// All derivatives of a function of one tensor: x[..], f(x)[.. of y] -> [.. of y, .. of x]. As many passes forward as x has elements, or
/// backward as f(x) has, whichever is less, all of them at once (`vmap`). The Hessian is jacobian(grad(f), x).
///     print(jacobian(square, [1.0, 3.0] as f32));
///     // [[2, 0],
///     //  [0, 6]]
fn jacobian[t: float](f, x: t[..]) {
    let y = tensor_at(f, x);
    let (n, m) = (volume(x), volume(y));
    if n >= m { return reshape(vmap(vjp(f), over = 1)(x, units(shape(y), y.dtype))[1], shape(y) + shape(x)); }
    let columns = reshape(vmap(jvp(f), over = 1)(x, units(shape(x), x.dtype))[1], [n, m]);
    return reshape(transpose(columns), shape(y) + shape(x));
}

/// Ends the test, or the program, unless the derivative of a function of one tensor is that of differences in `directions` drawn from the
/// key, up to rtol. Differences are of 2 eps; x is best f64.
///     check_gradient(square, [1.0, 3.0] as f64);
fn check_gradient[t: float](f, x: t[..], eps = 1e-5, rtol = 1e-6, directions: int = 3, key = rng(1)) {
    for i in 0..directions {
        let v = normal(fold(key, 2 * i), shape(x), dtype = x.dtype);
        let moved = tensor_at(f, x + eps * v) - tensor_at(f, x - eps * v);
        let ct = normal(fold(key, 2 * i + 1), shape(moved), dtype = moved.dtype);
        let (y, d) = vjp(f)(x, ct);
        let (by_derivative, by_differences) = (finish(sum(d * v)), finish(sum(ct * moved)) / (2.0 * eps));
        assert_close(by_derivative, by_differences, rtol = rtol, atol = rtol);
    }
}

// ---- tests ----

// How far a is from b beyond the tolerance. Equal infinities are close.
op violation(a[..], b[..], rtol[], atol[]) -> [..] = where(a == b, 0, abs(a - b) - (rtol * abs(b) + atol));

// The worst one: what `assert_close` wants not to be positive.
fn worst_violation(a, b, rtol, atol) {
    return finish(max(violation(a, b, rtol, atol)));
}

// For `every` of a count that the running program says.
fn check_every(n: int) { assert(n >= 1, message = "`every` takes a count of at least 1"); }

// Whether all elements hold, for `assert` and `assert_equal` of tensors in any layout.
fn all_hold(c) {
    return finish(all(c));
}
