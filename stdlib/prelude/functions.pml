// functions.pml — functions of one element.
//
// The examples stand in `main` of a program that begins with
//
//     fn cubes(x) { return sum(x * x * x); }

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
