// Windows of which one axis splits the results and another the taps, as many of these as of those: a rank reads from the first result's
// first tap to the last one's last.
//% layouts 0 1:6 (2:4)
//% bits window_factors
const LAYOUT : int = 0;
const X : int = [1, 2, 4][LAYOUT];
const Y : int = [1, 3, 1][LAYOUT];
place grid = ranks(0..X * Y) as (x = X, y = Y);
op taps(u[i], k[p], n: int) -> [n] = sum[p] u[n + p - 1] * k;
op twice(u[i], k[p], n: int) -> [n] = sum[p] u[2 * n + 2 * p] * k;

fn energy(u: f32[5], k: f32[3]) { return sum(square(taps(u, k to (x=S(0)), n = 3) to (y=S(0)))) to B; }

main {
    let u = (iota(5) as f32 + 1.0) to @grid : (x=S(0));
    let k = (iota(3) as f32 + 1.0) to @grid : (x=S(0));
    print(taps(u, k, n = 3) to (y=S(0)) to B);
    print(twice(u, k, n = 3) to (y=S(0)) to B);
    let (l, (du, dk)) = value_and_grad(energy, wrt = [0, 1])(u, k);
    print(l, du to B, dk to B);
}
