//% ranks 1 2 (3 4)
//% bits fourier
// Transforms along dimensions that are split, and others, have the bits of those on one rank with --reproducible, of every way to compute them.
import std.fft;
const N: int = 1;
place p = ranks(0..N);

fn energy(x) {
    let n = shape(x)[-1];
    let (a, b) = fft.rfft(x);
    let (c, d) = fft.fft(a to S(0), b to S(0), dim = 0);
    let (e, g) = (c to S(1), d to S(1));
    return mean(sin(0.1 * e) + g * g) to B;
}
fn shown(n: int) {
    let x = normal(rng(n), [7, n]) to @p : S(1);
    let (a, b) = fft.fft(x, 0.5 * x);
    let (c, d) = fft.fft(x to S(0), x to S(0));
    let (value, by) = value_and_grad(energy)(x);
    let (e, g) = (a to S(0), b to B);
    print(n, sum(e * e) to B, max(g), sum(c * d) to B, value, max(abs(by)) to B);
}
main { shown(8); shown(37); shown(105); shown(256); shown(300); shown(263); }
