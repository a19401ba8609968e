//% ranks 1 (2) 3 (4)
//% bits extrema_times_numbers
// Unfinished maxima and minima times and by numbers of the program, with infinities and NaN among them: joined afterwards
// they are what one rank computes. What is computed of `x - x` keeps the numbers from being folded into what made x.
const N = 1;
place p = ranks(0..N);

fn show(m: f32[6] @ p : P(max)) {
    print("max", m * 2.0 to B, m / 9.0 to B, m * 0.5 + 1.0 to B);
    print("pieces", leaky_relu(m, 0.25) to B, sign(m) to B, leaky_relu(-m, 2.0) to B);
    print("joined", concat([m, m * 2.0, m]) to B, stack([m, sign(m)]) to B, concat([m[1..3], pad(m, 1)]) to B);
    print("turned", m * -2.0 to B, m / -4.0 to B, 1.0 - m / -2.0 to B);
}

main {
    let rows = reshape((iota(30) * 7) % 30, [5, 6]) as f32 - 15.0;
    let x = rows to @p : S(0);
    show(max(x, dim = 0));
    show(max(where(x > 10.0, 1.0 / (x - x), x), dim = 0));
    show(max(where(x < -10.0, (x - x) / (x - x), x), dim = 0));
    show(max(where(x < 13.0, -1.0 / (x - x), x), dim = 0));
    let least = min(x, dim = 0);
    print("joined", concat([least, least / 7.0]) to B);
    let zero = -0.0 * (x[0] to B);
    print("signs of 0", 1.0 / concat([zero * 0.0, zero * -0.0]), 1.0 / stack([zero * 0.0, zero * -0.0]));
    print("min", least * 3.0 to B, least / 7.0 to B, least * -1.5 to B);
}
