// Turns that put slices in the place of others, whose places are made of the number of the turn, with derivatives: against the same by lines of a matrix; places are not kept for all
// turns.
//% layouts 0:1 1:2 2:2 (3:4)
//% also --reproducible
const LAYOUT : int = 0;
const R : int = [1, 2, 2, 4][LAYOUT];
place all = ranks(0..R);
const L : layout = [B, B, S(1), S(1)][LAYOUT];
const K : int = 16;
const T : int = 12;

param x : f64[K * T, 4] @ all : L = zeros();

fn step(y) { return sin(y) + 0.25 * y * y; }
fn by_slices(x) {
    var y = x;
    for i in 1..T { y[K * i..K * (i + 1)] = step(y[K * i..K * (i + 1)] + 0.5 * y[K * (i - 1)..K * i]); }
    return y;
}
fn by_lines(x) {
    var y = reshape(x, [T, K, 4]);
    for i in 1..T { y[i] = step(y[i] + 0.5 * y[i - 1]); }
    return reshape(y, [K * T, 4]);
}
fn shifted(x) {
    var y = x;
    for i in 0..T { let a = (i * 7 + 3) % (K * T - K); y[a..a + K] = 0.5 * y[a..a + K] * y[a + 1..a + K + 1]; }
    return y;
}
fn shifted_by_where(x) {
    var y = x;
    let at = unsqueeze(iota(K * T));
    for i in 0..T { let a = (i * 7 + 3) % (K * T - K); y = where(at >= a && at < a + K, 0.5 * y * roll(y, -1, dim = 0), y); }
    return y;
}
fn of(f, x) { let y = f(x) to B; return sum(y * y * y); }
fn slope(f, x) { return sum(sin(grad(of, wrt = "x")(f, x) to B)); }

main {
    x = (reshape(iota(K * T * 4) * 37 % 101, [K * T, 4]) as f64 * 0.01) to @all : L;
    for f in [[by_slices, by_lines], [shifted, shifted_by_where]] {
        assert_close(f[0](x) to B, f[1](x) to B, rtol = 1e-13);
        assert_close(grad(of, wrt = "x")(f[0], x) to B, grad(of, wrt = "x")(f[1], x) to B, rtol = 1e-12);
        assert_close(grad(slope, wrt = "x")(f[0], x) to B, grad(slope, wrt = "x")(f[1], x) to B, rtol = 1e-10);
    }
    print(sum(by_slices(x)) to B, sum(shifted(x)) to B, sum(square(grad(of, wrt = "x")(by_slices, x))) to B, sum(square(grad(of, wrt = "x")(shifted, x))) to B);
}
