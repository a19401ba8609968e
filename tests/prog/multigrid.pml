// Multigrid for a line of points by recursion over sizes: smoothing reads around shards, grids become half as long until ranks have nothing of them.
// Values: expected.py (numpy).
//% ranks 1 3 (2 4)
//% rtol 1e-5
const N : int = 1;
place all = ranks(0..N);
fn apply(u, h: float) { return (2.0 * u - pad(u, before = 1)[..-1] - pad(u, after = 1)[1..]) / (h * h); }
fn smooth(u, f, h: float, times: int) {
    var x = u;
    for i in 0..times { x = x + 0.6666666666666666 * 0.5 * h * h * (f - apply(x, h)) to S(0); }
    return x;
}
op restrict(r[i], n: int) -> [n] = 0.25 * r[2 * n] + 0.5 * r[2 * n + 1] + 0.25 * r[2 * n + 2];
op prolong(e[i], n: int) -> [n] = sum[i] e[i] * (if n == 2 * i + 1 => 1.0 else if n == 2 * i || n == 2 * i + 2 => 0.5 else 0.0);
fn cycle[n](u: f64[n], f: f64[n], h: float) {
    if n == 1 { return f * h * h / 2.0; }
    let x = smooth(u, f, h, 2);
    let r = f - apply(x, h) to S(0);
    let m = (n - 1) / 2;
    let c = restrict(r, m) to S(0);
    let e = cycle(0.0 * c, c, 2.0 * h);
    let y = x + prolong(e to B, n) to S(0);
    return smooth(y, f, h, 2);
}
main {
    let h = 1.0 / 64;
    let f = sin(iota(63) as f64 * 0.3) + 1.0 to @all : S(0);
    var u = zeros([63], dtype = f64) to @all : S(0);
    for i in 0..4 {
        u = cycle(u, f, h);
        print(sqrt(sum(square(f - apply(u, h) to S(0))) to B), u[31] to B);
    }
}
