// special.pml — special functions of numbers, Bessel, incomplete gamma, zeta and polygamma functions, and of ints: divisors and bits.
//
// Those that programs meet more often, `erf`, `erfc`, `erfinv`, `lgamma`, `digamma`, `xlogy`, `logaddexp` and the like, are in the [prelude](prelude.md). All
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

// Incomplete gamma functions of a and x above 0, in f64. Up to a = 100 the lower one is a series where x is at most a + 1, else the upper one a continued
// fraction, of as many terms as f64 tells apart; ten of them at a time, from the last ones on. Beyond, that of both which is smaller, about, is an integral
// over what counts of it, of 32 points (Press and others, Numerical Recipes, 6.2).
op series_term(rest[..], a[..], x[..], k[]: f64) -> [..] = 1 + x / (a + k) * rest;
fn ten_of_series(r, a, x, k) {
    var rest = r;
    for i in 0..10 { rest = series_term(rest, a, x, k - i); }
    return rest;
}
op fraction_term(rest[..], a[..], x[..], i[]: f64) -> [..] = x + (2 * i - 1) - a + i * (a - i) / rest;
fn ten_of_fraction(r, a, x, k) {
    var rest = r;
    for i in 0..10 { rest = fraction_term(rest, a, x, k - i); }
    return rest;
}
op common_factor(a[..], x[..]) -> [..] = exp(a * log(x) - x - lgamma(a));
fn lower_by_series(a, x) {
    var rest = 1.0 + 0.0 * x;
    for turn in 0..9 { rest = ten_of_series(rest, a, x, 90.0 - 10.0 * turn); }
    return common_factor(a, x) / a * rest;
}
fn upper_by_fraction(a, x) {
    var rest = x + 121.0 - a;
    for turn in 0..6 { rest = ten_of_fraction(rest, a, x, 60.0 - 10.0 * turn); }
    return common_factor(a, x) / rest;
}

// r - ln(1 + r), r = 2 u / (1 - u), without loss near 0.
op less_log_near(u[..], v[..]) -> [..]
    = 2 * v / (1 - u) - 2 * u * v * (1.0 / 3 + v * (1.0 / 5 + v * (1.0 / 7 + v * (1.0 / 9 + v * (1.0 / 11 + v * (1.0 / 13 + v * (1.0 / 15 + v / 17)))))));
op less_log(r[..], near[..]) -> [..] = if abs(r) < 0.25 => near else r - log1p(r);
// At share y of the way from x to `end`, m = a - 1 being where the integrand has its top; s = sqrt(m).
op place_on_way(x[..], end[..], m[..], y[k]) -> [.., k] = (x + (end - x) * y - m) / m;
op weighed(r[.., k], w[k], m[..]) -> [..] = sum[k] w * exp(-m * r);
op end_of_way(x[..], m[..], s[..]) -> [..] = if x > m => max(m + 11.5 * s, x + 8 * s) else max(0, min(m - 8.5 * s, x - 7 * s));
op over_way(total[..], x[..], end[..], m[..]) -> [..]
    = total * abs(end - x) * 0.3989422804014327 * rsqrt(m) * exp((-1.0 / 12 + (1.0 / 360 - 1.0 / (1260 * m * m)) / (m * m)) / m);
fn part_of_integral(x, m) {
    let end = stop_gradient(end_of_way(x, m, sqrt(m)));
    let (at, weight) = (
    [0.001368069075259215, 0.007194244227365809, 0.017618872206246805, 0.03254696203113017, 0.051839422116973954, 0.07531619313371501,
     0.10275810201602881, 0.13390894062985514, 0.16847786653489238, 0.20614212137961885, 0.24655004553388532, 0.28932436193468236,
     0.33406569885893617, 0.38035631887393145, 0.42776401920860174, 0.4758461671561308, 0.5241538328438692, 0.5722359807913983, 0.6196436811260685,
     0.6659343011410639, 0.7106756380653176, 0.7534499544661146, 0.7938578786203812, 0.8315221334651076, 0.8660910593701449, 0.8972418979839711,
     0.924683806866285, 0.948160577883026, 0.9674530379688698, 0.9823811277937532, 0.9928057557726342, 0.9986319309247408],
    [0.003509305004735253, 0.008137197365452872, 0.012696032654631012, 0.017136931456510882, 0.021417949011113418, 0.025499029631188046,
     0.029342046739267783, 0.03291111138818084, 0.03617289705442417, 0.039096947893535114, 0.041655962113473353, 0.04382604650220189,
     0.04558693934788189, 0.046922199540402255, 0.047819360039637354, 0.04827004425736383, 0.04827004425736383, 0.047819360039637354,
     0.046922199540402255, 0.04558693934788189, 0.04382604650220189, 0.041655962113473353, 0.039096947893535114, 0.03617289705442417,
     0.03291111138818084, 0.029342046739267783, 0.025499029631188046, 0.021417949011113418, 0.017136931456510882, 0.012696032654631012,
     0.008137197365452872, 0.003509305004735253]);
    let r = place_on_way(x, end, m, at as f64);
    let near = clamp(r, -0.3, 0.3);
    let u = near / (2.0 + near);
    let total = weighed(less_log(max(r, -0.999999), less_log_near(u, u * u)), weight as f64, m);
    return over_way(total, x, end, m);
}

op is_lower(a[..], x[..]) -> [..] = if a <= 100 => x <= a + 1 else x <= a - 1;
// That of both which `is_lower` says.
fn smaller_part(a, x, lower) {
    let few = up_to(a, 100.0);
    let series = lower_by_series(few, up_to(x, few + 1.0));
    let fraction = upper_by_fraction(few, max(x, few + 1.0));
    return where(a <= 100.0, where(lower, series, fraction), part_of_integral(x, max(a, 100.0) - 1.0));
}
op beside(a[..], x[..]) -> [..] = (if x > 0 => a else a) as f64;
op density(a[..], x[..]) -> [..] = exp((a - 1) * log(x) - x - lgamma(a));
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
    if upper { return at_edges(where(lower, 1.0 - part, part) - growth(within, from, place), p, r, 1.0, 0.0); }
    return at_edges(where(lower, part, 1.0 - part) + growth(within, from, place), p, r, 0.0, 1.0);
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
