// Host arithmetic of ints, floats, bools and strings, known when compiling or not. Values by hand.
//% ranks 1 2
//% args --n=3 --x=0.5
config n : int = 7;
config x : f64 = 2.0;
const N : int = 1;
const K : int = 3;
place p = ranks(0..N);
fn half(k) { return k / 2; }
main {
    print(n + 1, n * 2, n - 5, n % 2, n / 2, -n, n ** 2, -n % 2);
    print(K + 1, K * 2, K - 5, K % 2, -K, K ** 2, -K % 2, 2 ** 10, 7 - 2 * 3, (7 - 2) * 3);
    print(floor_div(n, 2), floor_div(-n, 2), floor_div(n, -2), floor_div(-n, -2), floor_div(-K, 2), floor_div(K, -2));
    print(x + 1, x * 2.0, x / 4.0, x ** 2, 2.0 ** -1, 1e3, 1.5e-3, 1_000, 0x1f);
    print(sqrt(x * 8.0), exp(x - 0.5), ln(x * 2.0), sin(0.0 * x), cos(0.0 * x), tanh(0.0 * x), abs(-x), floor(x * 5.0), rsqrt(x * 8.0), erf(0.0 * x));
    for v in -1..2 {       // functions that choose, against those of tensors
        let f = v * x;
        assert(sign(v) == v && where(v > 0, 1, 2.5) == (if v > 0 => 1.0 else 2.5));
        assert(sign(f) as f32 == sign(full(f, [])) && leaky_relu(f, 0.25) as f32 == leaky_relu(full(f, []), 0.25));
        assert_close(full(asinh(f), []), asinh(full(f, [])), rtol = 1e-6);
        assert_close(full(logaddexp(f, x), []), logaddexp(full(f, []), full(x, [])), rtol = 1e-6);
    }
    print(n == 3, n != 3, n < 4, n <= 3, n > 3, n >= 4, !(n == 3), n == 3 && x > 0.1, n > 5 || x < 0.1, 1 < 2 && 2.5 > 2);
    print(max(n, 5), min(x, 0.1), max(2, 3), min(2.5, 1.5), max(n, 2));
    print(if n > 2 => "big" else "small", if K > 5 => 1 else 2, if n > 5 => 1.5 else 2.5);
    print(n as float, x as int, 3.99 as int, -3.99 as int, 7 as float, n as f32 / 2.0, true as int, false as float);
    print(half(8), half(n), half(3.0));
    var t = 0.0;
    for k in 0..n { t += k * x; }
    for k in 0..K { t = t - 1; }
    print(t, n * x, x * n, 1 - x, n / x);
    let big = 9223372036854775807;
    print(big, -big - 1, big - 3 + n);
    let (a, b) = (n * 2, x);
    let list = [1, 2, K];
    print(a, b, list[0] + list[2], list[-1]);
    for q in list { t += q; }
    for (u, v) in [(1, 2.0), (3, 4.0)] { t += u * v; }
    print(t);
}
