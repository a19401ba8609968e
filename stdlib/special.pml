// special.pml — special functions of numbers, Bessel, incomplete gamma, zeta and polygamma functions, and of ints: divisors and bits.
//
// Those that programs meet more often, `erf`, `erfc`, `erfinv`, `lgamma`, `digamma`, `xlogy`, `logaddexp` and the like, are in the [prelude](prelude_functions.md). All
// of them work element by element, in any layout, and have derivatives.
//
// The errors that are told are the largest over the numbers that are told, beside 30 digits of another program.
//
// The examples stand in `main` of a program that begins with
//
//     import std.special;

// min(y, n), whose derivative at n is that from below.
op up_to(y[..], n[..]) -> [..] = if y > n => n else y;

// Numbers of 16 bits are those of f32 while functions are computed, and rounded once.
fn has_16_bits(x) { return if is_tensor(x) => x.dtype == bf16 || x.dtype == f16 else false; }
fn widened(x) { return if has_16_bits(x) => x as f32 else x; }
fn rounded_as(y, x) {
    if !has_16_bits(x) { return y; }
    let t = x.dtype;
    return y as t;
}

// ---- Bessel functions ----

// Of t = (x / 20)^2 up to 1 by their series, whose terms have one sign, and of t = 40 / x - 1 beyond, times e^x / sqrt(x).
op i0_near(t[..]) -> [..]
    = (((((((((((((((((((((((((((((((((((7.226528200074194e-12 * t + 9.365580547296156e-11) * t + 1.1472836170437791e-09)
        * t + 1.3262598613026087e-08) * t + 1.4442969889585407e-07) * t + 1.4789601166935458e-06) * t + 1.4212806721424975e-05)
        * t + 0.00012791526049282478) * t + 0.0010757673407446563) * t + 0.008434015951438105) * t + 0.06148397628598379) * t + 0.41563167969325043)
        * t + 2.597697998082815) * t + 14.962740468957016) * t + 79.15289708078261) * t + 383.10002187098786) * t + 1689.4710964510564)
        * t + 6757.8843858042255) * t + 24395.962632753253) * t + 79042.91893012055) * t + 228434.03570804838) * t + 584791.1314126038)
        * t + 1315780.0456783585) * t + 2578928.889529583) * t + 4358389.823304995) * t + 6276081.345559193) * t + 7594058.428126623)
        * t + 7594058.428126623) * t + 6151187.326782565) * t + 3936759.8891408416) * t + 1929012.3456790124) * t + 694444.4444444445)
        * t + 173611.11111111112) * t + 27777.777777777777) * t + 2500.0) * t + 100.0) * t + 1.0;
op i0_far(t[..]) -> [..]
    = ((((((((((((2.824738012165392e-16 * t + 1.0617320266247559e-15) * t + 3.731205474264436e-15) * t + 2.1034549747719292e-14)
        * t + 1.3779838215044797e-13) * t + 1.037072977405604e-12) * t + 9.26086235918758e-12) * t + 9.989278063001049e-11)
        * t + 1.3344574361549607e-09) * t + 2.291670688889052e-08) * t + 5.365977494336415e-07) * t + 1.901595198270084e-05)
        * t + 0.0012832022732773708) * t + 0.40020698164667806;
op i1_near(t[..]) -> [..]
    = (((((((((((((((((((((((((((((((((((1.9531157297497823e-13 * t + 2.60155015202671e-12) * t + 3.2779531915536546e-11)
        * t + 3.900764297948849e-10) * t + 4.376657542298609e-09) * t + 4.6217503646673307e-08) * t + 4.584776361749992e-07)
        * t + 4.263842016427492e-06) * t + 3.7095425542919184e-05) * t + 0.00030121485540850375) * t + 0.0022771843068882885)
        * t + 0.015985833834355787) * t + 0.10390791992331261) * t + 0.6234475195398756) * t + 3.4414303078601134) * t + 17.413637357772174)
        * t + 80.45100459290745) * t + 337.89421929021125) * t + 1283.998033302803) * t + 4391.273273895586) * t + 13437.296218120493)
        * t + 36549.445713287736) * t + 87718.66971189057) * t + 184209.2063949702) * t + 335260.7556388458) * t + 523006.7787965994)
        * t + 690368.9480115112) * t + 759405.8428126624) * t + 683465.258531396) * t + 492094.9861426052) * t + 275573.1922398589)
        * t + 115740.74074074074) * t + 34722.22222222222) * t + 6944.444444444444) * t + 833.3333333333334) * t + 50.0) * t + 1.0;
op i1_far(t[..]) -> [..]
    = ((((((((((((-2.9878645725429386e-16 * t - 1.1316191907822362e-15) * t - 4.028759423177547e-15) * t - 2.2917445980436986e-14)
        * t - 1.517641674796514e-13) * t - 1.1585732988916833e-12) * t - 1.05360928643079e-11) * t - 1.1643209459694912e-10)
        * t - 1.6089511066212913e-09) * t - 2.9072203610084585e-08) * t - 7.41388054454694e-07) * t - 3.128367269445991e-05)
        * t - 0.0038005359369850758) * t + 0.39517231431926264;
op within_20(x[..]) -> [..] = if abs(x) > 20 => 20 else x;
op inverse_of_far(y[..]) -> [..] = 40 / max(y, 20) - 1;
// By parts of the power, since e^y is infinite before y is that large.
op joined_by_power(y[..], near[..], far[..]) -> [..]
    = if y == inf => y * far else if y > 20 => exp(0.5 * y) * (far * rsqrt(y)) * exp(0.5 * y) else near;
op joined_without(y[..], near[..], far[..]) -> [..] = if y > 20 => far * rsqrt(y) else near * exp(-y);
fn i0_within(x) { return i0_near(square(0.05 * x)); }
fn i1_within(x) { return 0.5 * x * i1_near(square(0.05 * x)); }
op with_sign_of(x[..], y[..]) -> [..] = if x < 0 => -y else y;

/// The modified Bessel function of the first kind and order 0, to 3e-15 of itself in f64, 2e-6 in f32; infinite beyond 713, in f32 beyond 91.
///     print(special.i0([0.0, 1.0, 10.0] as f32));    // [1, 1.26607, 2815.72]
fn i0(x) { return rounded_as(i0_of(widened(x)), x); }
fn i0_of(x) { return joined_by_power(abs(x), i0_within(within_20(x)), i0_far(inverse_of_far(abs(x)))); }

/// e^-|x| times `i0`, which is finite for every x.
///     print(special.i0e([0.0, 1.0, 1000.0] as f32));    // [1, 0.46576, 0.0126172]
fn i0e(x) { return rounded_as(i0e_of(widened(x)), x); }
fn i0e_of(x) { return joined_without(abs(x), i0_within(within_20(x)), i0_far(inverse_of_far(abs(x)))); }

/// The modified Bessel function of the first kind and order 1, which is the derivative of `i0`, as exact as that.
///     print(special.i1([0.0, 1.0, -10.0] as f32));    // [0, 0.565159, -2670.99]
fn i1(x) { return rounded_as(i1_of(widened(x)), x); }
fn i1_of(x) { return joined_by_power(abs(x), i1_within(within_20(x)), with_sign_of(x, i1_far(inverse_of_far(abs(x))))); }

/// e^-|x| times `i1`, which is finite for every x.
///     print(special.i1e([0.0, 1.0, 1000.0] as f32));    // [0, 0.20791, 0.0126109]
fn i1e(x) { return rounded_as(i1e_of(widened(x)), x); }
fn i1e_of(x) { return joined_without(abs(x), i1_within(within_20(x)), with_sign_of(x, i1_far(inverse_of_far(abs(x))))); }

// Of t = x^2 / 32 - 1 up to |x| = 8, for order 1 divided by x. Beyond, of t = 128 / x^2 - 1, what cosines and sines are multiplied by, the latter with
// another 1 / x.
op j0_near(t[..]) -> [..]
    = ((((((((((((((((-1.1380595432215676e-14 * t + 4.003763198544757e-13) * t - 1.238464418210802e-11) * t + 3.363447579149498e-10)
        * t - 7.91540772613074e-09) * t + 1.595610910454382e-07) * t - 2.7177491450348606e-06) * t + 3.8473197855944406e-05)
        * t - 0.00044354592247271616) * t + 0.004058078989140991) * t - 0.028472718610869575) * t + 0.14598884856759264) * t - 0.507468045847102)
        * t + 1.0383794611437211) * t - 0.808088807669687) * t - 0.6484692830871837) * t + 0.9303012472958572) * t + 0.04582966485981377;
op j0_cos(t[..]) -> [..]
    = ((((((((((((-1.1346926815291663e-14 * t + 3.334599531685773e-14) * t - 6.563491590174781e-14) * t + 2.454626647456918e-13)
        * t - 1.061860361827791e-12) * t + 4.786833648457065e-12) * t - 2.4883792349430343e-11) * t + 1.5500573849457377e-10)
        * t - 1.2121178913027262e-09) * t + 1.2803761421389911e-08) * t - 2.052744816021978e-07) * t + 6.137416080111143e-06)
        * t - 0.0005363673192130033) * t + 0.9994572757882519;
op j0_sin(t[..]) -> [..]
    = ((((((((((((9.756113507128432e-14 * t - 2.729058891731019e-13) * t + 4.743918565467509e-13) * t - 1.6798068504524111e-12)
        * t + 6.934511868227323e-12) * t - 2.88387465828897e-11) * t + 1.362452803693964e-10) * t - 7.575872758461843e-10)
        * t + 5.146228618919075e-09) * t - 4.534973594868882e-08) * t + 5.684971885449538e-07) * t - 1.1817110660731776e-05)
        * t + 0.0005466519279475136) * t - 0.12444091103610816;
op j1_near(t[..]) -> [..]
    = ((((((((((((((((-3.237828825886891e-16 * t + 1.2095547763548495e-14) * t - 3.9908120700697754e-13) * t + 1.1610590176624424e-11)
        * t - 2.9430378793535847e-10) * t + 6.431268798326299e-09) * t - 1.1967081644265458e-07) * t + 1.8684525371950885e-06)
        * t - 2.4045748660869506e-05) * t + 0.0002494945813909099) * t - 0.002029039494570245) * t + 0.012456814392255438)
        * t - 0.054745818212847276) * t + 0.15858376432721938) * t - 0.2595948652859303) * t + 0.15151665143806634) * t + 0.08105866038589796)
        * t - 0.05814382795599107;
op j1_cos(t[..]) -> [..]
    = ((((((((((((1.2012721775449965e-14 * t - 3.5404613525657416e-14) * t + 7.019004954768849e-14) * t - 2.635099411586755e-13)
        * t + 1.1443000350441976e-12) * t - 5.190987549128526e-12) * t + 2.7205216071451606e-11) * t - 1.713108363257052e-10)
        * t + 1.3603054724512454e-09) * t - 1.4708512970871809e-08) * t + 2.453676622679369e-07) * t - 7.95969469844003e-06)
        * t + 0.0008988049416705564) * t + 1.0009070262780821;
op j1_sin(t[..]) -> [..]
    = ((((((((((((-1.0308138671963011e-13 * t + 2.8910711721761855e-13) * t - 5.061753256584603e-13) * t + 1.798464167692092e-12)
        * t - 7.446940085047187e-12) * t + 3.114226481045957e-11) * t - 1.481767246888408e-10) * t + 8.315594957016384e-10)
        * t - 5.720887751116045e-09) * t + 5.1361067953963376e-08) * t - 6.633568564937367e-07) * t + 1.456961480935691e-05)
        * t - 0.0007697167057643569) * t + 0.3742149922195918;
op within_8(x[..]) -> [..] = if abs(x) > 8 => 8 else x;
op place_near(x[..]) -> [..] = x * x / 32 - 1;
op place_far(y[..]) -> [..] = 2 * (8 / max(y, 8)) * (8 / max(y, 8)) - 1;
op joined_waves(y[..], near[..], p[..], q[..], c[..], s[..]) -> [..]
    = if y == inf => 0 else if y > 8 => 0.5641895835477563 * rsqrt(y) * (p * c + q / y * s) else near;

/// The Bessel function of the first kind and order 0. Its error is below 1e-15 in f64, 1e-6 in f32.
///     print(special.j0([0.0, 1.0, 10.0] as f32));    // [1, 0.765198, -0.245936]
fn j0(x) { return rounded_as(j0_of(widened(x)), x); }
fn j0_of(x) {
    let y = abs(x);
    let far = place_far(y);
    return joined_waves(y, j0_near(place_near(within_8(x))), j0_cos(far), j0_sin(far), cos(y) + sin(y), cos(y) - sin(y));
}

/// The Bessel function of the first kind and order 1, as exact as `j0`, whose derivative it is but for its sign.
///     print(special.j1([0.0, 1.0, -10.0] as f32));    // [0, 0.440051, -0.0434728]
fn j1(x) { return rounded_as(j1_of(widened(x)), x); }
fn j1_of(x) {
    let (y, near) = (abs(x), within_8(x));
    let far = place_far(y);
    let (p, q) = (with_sign_of(x, j1_cos(far)), with_sign_of(x, j1_sin(far)));
    return joined_waves(y, near * j1_near(place_near(near)), p, q, sin(y) - cos(y), sin(y) + cos(y));
}

// ---- the error function ----

op power_of_square(y[..], h[..]) -> [..] = exp(h * h) * exp((y - h) * (y + h));
op erfcx_joined(a[..], near[..], tail[..], power[..]) -> [..]
    = if a > 0.46875 => tail else if a < -0.46875 => 2 * power - tail else power * near;

/// e^(x^2) (1 - erf(x)), which does not vanish where `erfc` does: 1e-15 of itself in f64, 1e-6 in f32. Infinite below -26.6, in f32 below -9.3.
///     print(special.erfcx([-1.0, 0.0, 1.0, 100.0] as f32));    // [5.00898, 1, 0.427584, 0.00564161]
fn erfcx(x) { return rounded_as(erfcx_of(widened(x)), x); }
fn erfcx_of(x) {
    let (y, limited) = (max(abs(x), 0.46875), max(up_to(x, 0.46875), -30.0));
    let far = max(y, 4.0);
    let tail = where(y <= 4.0, erfc_middle(up_to(y, 4.0)), erfc_far(far, 1.0 / far / far));
    let near = erfc_by_erf(clamp(x, -0.5, 0.5), square(clamp(x, -0.5, 0.5)));
    return erfcx_joined(x, near, tail, power_of_square(limited, stop_gradient(trunc(16.0 * limited) / 16.0)));
}

// ---- gamma functions ----

/// The n-th derivative of `digamma`, n being known when compiling: that of 0 is digamma.
///     print(special.polygamma(1, [1.0, 2.0] as f32), special.polygamma(2, [1.0] as f32));    // [1.64493, 0.644934] [-2.40411]
fn polygamma(n: int, x) {
    assert(n >= 0, message = "`polygamma` takes a count of derivatives");
    if n == 0 { return digamma(x); }
    return jvp(polygamma, wrt = "x")(n - 1, x, stop_gradient(clamp(x, 1.0, 1.0)))[1];
}

// Ten terms, and what the others add up to (Euler and Maclaurin): at w = q + 10 its integral, half of a term, and derivatives, v = 1 / w^2.
op zeta_head(s[..], q[..], n: int, dtype: dtype) -> [..] = sum[n] pow(q + (n as dtype), -s);
op zeta_tail(s[..], w[..], v[..]) -> [..]
    = pow(w, -s) * (w / (s - 1) + 0.5 + s / w * (0.08333333333333333 + (s + 1) * (s + 2) * v
        * (-0.001388888888888889 + (s + 3) * (s + 4) * v * (3.306878306878307e-05 + (s + 5) * (s + 6) * v * (-8.267195767195768e-07 + (s + 7) * (s + 8) * v
        * (2.08767569878681e-08 + (s + 9) * (s + 10) * v * (-5.284190138687493e-10 + (s + 11) * (s + 12) * v
        * (1.3382536530684679e-11 + (s + 13) * (s + 14) * v * (-3.3896802963225827e-13 + (s + 15) * (s + 16) * v
        * (8.586062056277845e-15 + (s + 17) * (s + 18) * v * -2.174868698558062e-16))))))))));
op or_2(s[..]) -> [..] = if s > 1 => s else 2;
op or_1(q[..]) -> [..] = if q > 0 => q else 1;
op zeta_where(s[..], q[..], y[..]) -> [..] = if s == 1 || (s > 1 && q <= 0 && q == floor(q)) => inf
    else if s > 1 && q > 0 => y else (s + q) * (0.0 / 0.0);

/// The Hurwitz zeta function, the sum of (q + k)^-s over k = 0, 1, … of s > 1 and q > 0; q = 1 gives that of Riemann. To 1e-14 of itself in f64, 1e-6
/// in f32, and so are its derivatives by both. Infinite at s = 1 and at q = 0, -1, …, elsewhere not a number.
///     print(special.zeta([2.0, 4.0], [1.0, 1.0]), special.zeta(3.0, [0.5, 10.0]));    // [1.64493, 1.08232] [8.4144, 0.00552492]
fn zeta(s, q) { return rounded_as(rounded_as(zeta_of(widened(s), widened(q)), s), q); }
fn zeta_of(s, q) {
    let (p, r) = (or_2(s), or_1(q));
    let w = r + 10.0;
    return zeta_where(s, q, zeta_head(p, r, n = 10, dtype = (p + r).dtype) + zeta_tail(p, w, square(1.0 / w)));
}

// Incomplete gamma functions of a and x above 0, in f64. The lower one is a series where x is at most a + 1, else the upper one a continued fraction, of as
// many terms as f64 tells apart; from the last ones on, fifteen or twenty at a time, as one quotient. Beyond a = 100, where that would be many terms next
// to x = a, that of both which is smaller, about, is Temme's uniform expansion (SIAM J. Math. Anal. 10, 757, 1979): with r = (x - a) / a and e^2 / 2 =
// r - ln(1 + r) a tail of the normal distribution, and what is left by polynomials of e over powers of a.
op longer(under[..], a[..], k[]: f64, j: int) -> [..] = under * (a + (k - j));
op beside_term(over[..], under[..], x[..]) -> [..] = under + x * over;
fn five_of_series(o, u, a, x, k, j: int) {
    let u1 = longer(u, a, k, j);
    let o1 = beside_term(o, u1, x);
    let u2 = longer(u1, a, k, j + 1);
    let o2 = beside_term(o1, u2, x);
    let u3 = longer(u2, a, k, j + 2);
    let o3 = beside_term(o2, u3, x);
    let u4 = longer(u3, a, k, j + 3);
    let o4 = beside_term(o3, u4, x);
    let u5 = longer(u4, a, k, j + 4);
    return (beside_term(o4, u5, x), u5);
}
// 1 + x / (a + k) rest, for k, k - 1, …
fn fifteen_of_series(rest, a, x, k) {
    let (o5, u5) = five_of_series(rest, 1.0 + 0.0 * x, a, x, k, 0);
    let (o10, u10) = five_of_series(o5, u5, a, x, k, 5);
    let (o, u) = five_of_series(o10, u10, a, x, k, 10);
    return o / u;
}
op fraction_term(over[..], under[..], a[..], x[..], k[]: f64, j: int) -> [..] = (x + (2 * (k - j) - 1) - a) * over + (k - j) * (a - (k - j)) * under;
fn five_of_fraction(u, o, a, x, k, j: int) {
    let p1 = fraction_term(o, u, a, x, k, j);
    let p2 = fraction_term(p1, o, a, x, k, j + 1);
    let p3 = fraction_term(p2, p1, a, x, k, j + 2);
    let p4 = fraction_term(p3, p2, a, x, k, j + 3);
    return (p4, fraction_term(p4, p3, a, x, k, j + 4));
}
// x + (2 k - 1) - a + k (a - k) / rest, for k, k - 1, …
fn twenty_of_fraction(rest, a, x, k) {
    let (u5, o5) = five_of_fraction(1.0 + 0.0 * x, rest, a, x, k, 0);
    let (u10, o10) = five_of_fraction(u5, o5, a, x, k, 5);
    let (u15, o15) = five_of_fraction(u10, o10, a, x, k, 10);
    let (u, o) = five_of_fraction(u15, o15, a, x, k, 15);
    return o / u;
}
op less_log_part(u[..], v[..]) -> [..] = 2 / (1 - u) - 2 * u * (1.0 / 3 + v * (1.0 / 5 + v * (1.0 / 7 + v * (1.0 / 9 + v * (1.0 / 11 + v * (1.0 / 13
    + v * (1.0 / 15 + v * (1.0 / 17 + v * (1.0 / 19 + v * (1.0 / 21 + v / 23))))))))));
op of_expansion_0(e[..]) -> [..] = -0.33333333333333331 + e * (0.083333333333333329 + e * (-0.014814814814814815 + e * (0.0011574074074074073 + e * (0.00035273368606701942 + e * (-0.0001787551440329218 + e * (3.9192631785224377e-05 + e * (-2.185448510679992e-06 + e * (-1.85406221071516e-06 + e * (8.2967113409530865e-07 + e * (-1.7665952736826078e-07 + e * (6.7078535434014984e-09 + e * (1.0261809784240309e-08 + e * (-4.3820360184533529e-09 + e * (9.1476995822367902e-10 + e * -2.5514193994946248e-11))))))))))))));
op of_expansion_1(e[..]) -> [..] = -0.0018518518518518519 + e * (-0.003472222222222222 + e * (0.0026455026455026454 + e * (-0.00099022633744855963 + e * (0.00020576131687242798 + e * (-4.018775720164609e-07 + e * (-1.8098550334489977e-05 + e * (7.6491609160811098e-06 + e * (-1.6120900894563446e-06 + e * (4.647127802807434e-09 + e * (1.3786334469157209e-07 + e * (-5.7525456035177047e-08 + e * 1.1951628599778148e-08)))))))))));
op of_expansion_2(e[..]) -> [..] = 0.0041335978835978834 + e * (-0.0026813271604938273 + e * (0.0007716049382716049 + e * (2.0093878600823047e-06 + e * (-0.0001073665322636516 + e * (5.2923448829120125e-05 + e * (-1.2760635188618728e-05 + e * (3.4235787340961378e-08 + e * (1.3721957309062934e-06 + e * (-6.2989921383800548e-07 + e * 1.4280614206064242e-07)))))))));
op of_expansion_3(e[..]) -> [..] = 0.00064943415637860077 + e * (0.00022947209362139917 + e * (-0.0004691894943952557 + e * (0.00026772063206283885 + e * (-7.5618016718839766e-05 + e * (-2.3965051138672968e-07 + e * (1.1082654115347302e-05 + e * (-5.6749528269915965e-06 + e * 1.4230900732435883e-06)))))));
op of_expansion_4(e[..]) -> [..] = -0.00086188829091671173 + e * (0.00078403922172006662 + e * (-0.00029907248030319018 + e * (-1.4638452578843418e-06 + e * (6.6414982154651219e-05 + e * (-3.9683650471794347e-05 + e * 1.1375726970678419e-05)))));
op of_expansion_5(e[..]) -> [..] = -0.00033679855336635813 + e * (-6.9728137583658571e-05 + e * (0.00027727532449593918 + e * (-0.00019932570516188847 + e * 6.797780477937208e-05)));
op in_powers(c0[..], c1[..], c2[..], c3[..], c4[..], c5[..], q[..]) -> [..] = c0 + q * (c1 + q * (c2 + q * (c3 + q * (c4 + q * c5))));
fn expansion(e, q) {
    return in_powers(of_expansion_0(e), of_expansion_1(e), of_expansion_2(e), of_expansion_3(e), of_expansion_4(e), of_expansion_5(e), q);
}
op away(x[..], a[..]) -> [..] = max(min((x - a) / a, 0.36), -0.36);
op to_side(z[..], lower[..]: bool) -> [..] = if lower => -z else z;
// a is at least 100, and x within 0.36 of it.
fn by_expansion(a, x, lower) {
    let r = away(x, a);
    let u = r / (2.0 + r);
    let part = less_log_part(u, u * u);
    let e = u * sqrt(2.0 * part);
    let rest = exp(-a * (u * u * part)) * rsqrt(6.283185307179586 * a) * expansion(e, 1.0 / a);
    return 0.5 * erfc(to_side(e * sqrt(0.5 * a), lower)) + to_side(rest, lower);
}

// x^a e^-x / gamma(a) by Stirling's series, up to a = 100 that of b = a + 10; w = a (a + 9).
op stirling_tail(b[..], q[..]) -> [..] = (1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q * (1.0 / 1680 - q * (1.0 / 1188 - q * (691.0 / 360360)))))) / b;
op ten_factors(w[..]) -> [..] = w * (w + 8) * (w + 14) * (w + 18) * (w + 20);
op factor_lifted(a[..], b[..], x[..], tail[..]) -> [..] = 0.3989422804014327 * exp(a * log(x / b) + (b - x) - 9.5 * log(b) - tail);
fn factor_of_small(a, x) {
    let b = a + 10.0;
    return ten_factors(a * (a + 9.0)) * factor_lifted(a, b, x, stirling_tail(b, 1.0 / (b * b)));
}
op least_away(x[..], a[..]) -> [..] = max((x - a) / a, -0.999999);
op factor_of_large(a[..], r[..], tail[..]) -> [..] = 0.3989422804014327 * sqrt(a) * exp(-a * (r - log1p(r)) - tail);
fn common_factor(a, x) {
    let large = max(a, 100.0);
    return where(a <= 100.0, factor_of_small(up_to(a, 100.0), x), factor_of_large(large, least_away(x, large), stirling_tail(large, 1.0 / (large * large))));
}
fn lower_by_series(a, x) {
    var rest = 1.0 + 0.0 * x;
    for turn in 0..6 { rest = fifteen_of_series(rest, a, x, 90.0 - 15.0 * turn); }
    return rest / a;
}
fn upper_by_fraction(a, x) {
    var rest = x + 121.0 - a;
    for turn in 0..3 { rest = twenty_of_fraction(rest, a, x, 60.0 - 20.0 * turn); }
    return 1.0 / rest;
}

op is_lower(a[..], x[..]) -> [..] = if a <= 100 => x <= a + 1 else x <= a - 1;
op is_near(a[..], x[..]) -> [..] = a > 100 && abs(x - a) < 0.35 * a;
// That of both which `is_lower` says. Beyond 1e5 what is far is 0, as the common factor says.
fn smaller_part(a, x, lower) {
    let few = up_to(a, 1e5);
    let terms = where(lower, lower_by_series(few, up_to(x, few + 1.0)), upper_by_fraction(few, max(up_to(x, 2e7), few + 1.0)));
    let large = max(a, 100.0);
    return where(is_near(a, x), by_expansion(large, x, lower), common_factor(a, x) * terms);
}
op beside(a[..], x[..]) -> [..] = (if x > 0 => a else a) as f64;
fn density(a, x) { return common_factor(a, x) / x; }
// How the lower one grows with x: nothing, whose derivatives by x of the first four orders are those of the integral of the density from there on (Gauss, of
// two points).
fn growth(a, from, x) {
    let way = x - from;
    return 0.5 * way * (density(a, from + 0.21132486540518713 * way) + density(a, from + 0.7886751345948129 * way));
}
op or_1e_300(x[..], a[..]) -> [..] = min(max(if x == x => x else 1, 1e-300), 1e4 + 100 * a);
op or_within(a[..]) -> [..] = if a > 1e-300 => min(a, 1e300) else 1;
op at_edges(y[..], a[..], x[..], first[], last[]) -> [..]
    = if a >= 0 && x >= 0 => (if x == 0 || a == inf => first else if x == inf || a == 0 => last else y) else (a + x) * (0.0 / 0.0);
fn part_of_gamma(a, x, upper: bool) {
    let (p, r) = (beside(a, x), beside(x, a));
    let within = or_within(p);
    let place = or_1e_300(r, within);
    let (from, lower) = (stop_gradient(place), is_lower(within, place));
    let part = smaller_part(within, from, lower);
    let more = as_if(0.0 * part, growth(within, from, place));
    if upper { return at_edges(where(lower, 1.0 - part, part) - more, p, r, 1.0, 0.0); }
    return at_edges(where(lower, part, 1.0 - part) + more, p, r, 0.0, 1.0);
}
fn dtype_of_both(a, x) { return if is_tensor(a) => a.dtype else if is_tensor(x) => x.dtype else f64; }

/// The regularised lower incomplete gamma function, the share of the integral of t^(a - 1) e^-t from 0 on that lies below x, of a and x that are not
/// negative: 1e-12 of itself up to a = 1e6 in f64, in which it is computed, whatever the type. Derivatives by x, up to the fourth, and by a
/// are to 1e-11 of themselves.
///     print(special.gammainc([0.5, 3.0, 200.0] as f32, [1.0, 2.0, 210.0] as f32));    // [0.842701, 0.323324, 0.76397]
fn gammainc(a, x) {
    let t = dtype_of_both(a, x);
    return part_of_gamma(a, x, false) as t;
}

/// 1 - gammainc(a, x), also where that is small: the regularised upper incomplete gamma function, as exact as the lower one.
///     print(special.gammaincc([0.5, 3.0, 200.0] as f32, [10.0, 40.0, 300.0] as f32));    // [7.74422e-06, 3.57287e-15, 3.3711e-10]
fn gammaincc(a, x) {
    let t = dtype_of_both(a, x);
    return part_of_gamma(a, x, true) as t;
}

// ---- ints ----

fn not_smaller(a) { return max(a, -a); }

/// The greatest common divisor of ints, element by element, which is not negative; that of 0 and 0 is 0.
///     print(special.gcd([12, -18, 0] as i32, [8, 27, 5] as i32));    // [4, 9, 5]
fn gcd(a, b) {
    var (x, y) = (not_smaller(a + 0 * b), not_smaller(b + 0 * a));
    while finish(any(y != 0)) { (x, y) = (where(y == 0, x, y), where(y == 0, y, x % where(y == 0, 1, y))); }
    return x;
}

/// The least common multiple of ints, which is not negative; that of 0 and any is 0.
///     print(special.lcm([4, 0, -6] as i32, [6, 5, 4] as i32));    // [12, 0, 12]
fn lcm(a, b) {
    let d = gcd(a, b);
    return not_smaller(a) * floor_divide(not_smaller(b), where(d == 0, 1, d));
}

op bits_from(a[..]: int, from: int, mask: int) -> [..] = bitwise_and(right_shift(a as i64, from), mask);
op in_pairs(v[..]) -> [..] = bitwise_and(v, 1431655765) + bitwise_and(right_shift(v, 1), 1431655765);
op in_fours(v[..]) -> [..] = bitwise_and(v, 858993459) + bitwise_and(right_shift(v, 2), 858993459);
op in_bytes(v[..]) -> [..] = bitwise_and(v + right_shift(v, 4), 252645135);
op in_all(v[..]) -> [..] = bitwise_and(v + right_shift(v, 8) + right_shift(v, 16) + right_shift(v, 24), 63) as i32;
fn ones_of_half(v) { return in_all(in_bytes(in_fours(in_pairs(v)))); }

/// How many bits of each int are 1: i32. Negative ints are in two's complement, with the bits of their type.
///     print(special.population_count([0, 7, -1] as i32), special.population_count([-1] as i8));    // [0, 3, 32] [8]
fn population_count(x) {
    let t = x.dtype;
    let mask = if t == i8 || t == u8 => 255 else if t == i16 || t == u16 => 65535 else 4294967295;
    let low = ones_of_half(bits_from(x, 0, mask));
    return if t == i64 || t == u64 => low + ones_of_half(bits_from(x, 32, mask)) else low;
}
