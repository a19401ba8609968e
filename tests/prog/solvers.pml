// Schemes of numerical analysis on split fields, forward and back through all steps: the wave equation in three dimensions, Maxwell's
// equations on staggered grids, whose fields have extents of their own, and a multigrid cycle from 31 points down to one. What is
// printed is what PyTorch has in f64.
//% layouts 0:1 2:4 (1 3)
//% also --halos=parts
//% rtol 1e-9
const LAYOUT : int = 0;
const X : int = [1, 2, 2, 1][LAYOUT];
const Y : int = [1, 1, 2, 3][LAYOUT];
place g = ranks(0..X * Y) as (x = X, y = Y);
const N : int = 17;

state u : f64[12, 10, 8] @ g : (x=S(0), y=S(1)) = reshape((iota(960) * 37 % 101) as f64 * 0.01, [12, 10, 8]);
state e : f64[N, N] @ g : (x=S(0), y=S(1)) = reshape((iota(N * N) * 7 % 23) as f64 * 0.05, [N, N]);
state f : f64[31] @ g : (x=S(0)) = (iota(31) * 7 % 13) as f64 * 0.1 - 0.5;

op wave(u[i, j, k], v[i, j, k], c: f64) -> [i, j, k] = 2.0 * u[i, j, k] - v[i, j, k] + c * (u[i - 1, j, k] + u[i + 1, j, k]
    + u[i, j - 1, k] + u[i, j + 1, k] + u[i, j, k - 1] + u[i, j, k + 1] - 6.0 * u[i, j, k]);

fn energy(a: f64[12, 10, 8] @ g : (x=S(0), y=S(1))) -> f64 @ g {
    var u = a;
    var v = a;
    for t in 0..4 {
        let next = wave(u, v, c = 0.1) to (x=S(0), y=S(1));
        v = u;
        u = next;
    }
    return sum(u * u) to B;
}

fn maxwell(e0: f64[N, N] @ g : (x=S(0), y=S(1))) -> f64 @ g {
    var e = e0;
    var hx = 0.0 * e0[.., 1..] to (x=S(0), y=S(1));
    var hy = 0.0 * e0[1..] to (x=S(0), y=S(1));
    for t in 0..8 {
        hx = hx - 0.5 * ((e[.., 1..] - e[.., ..N - 1]) to (x=S(0), y=S(1)));
        hy = hy + 0.5 * ((e[1..] - e[..N - 1]) to (x=S(0), y=S(1)));
        e[1..N - 1, 1..N - 1] += 0.5 * (hy[1.., 1..N - 1] - hy[..N - 2, 1..N - 1] - hx[1..N - 1, 1..] + hx[1..N - 1, ..N - 2]) to (x=S(0), y=S(1));
    }
    return sum(e * e) + (sum(hx * hx) + sum(hy * hy)) to B;
}

op residual(u[i], f[i], h: f64) -> [i] = f[i] - (2.0 * u[i] - u[i - 1] - u[i + 1]) / (h * h);
op jacobi(u[i], f[i], h: f64) -> [i] = u[i] + 2.0 / 3.0 * 0.5 * (h * h) * (f[i] - (2.0 * u[i] - u[i - 1] - u[i + 1]) / (h * h));
op coarser(r[i], n: int) -> [n] = 0.25 * r[2 * n] + 0.5 * r[2 * n + 1] + 0.25 * r[2 * n + 2];
op at_odd(e[i], n: int) -> [n] = e[(n - 1) / 2];
op before(e[i], n: int) -> [n] = e[n / 2];
op behind(e[i], n: int) -> [n] = e[(n - 2) / 2];

fn cycle(f, h) {
    let n = f.shape[0];
    if n == 1 { return f * (h * h * 0.5); }
    var u = 0.0 * f;
    for t in 0..2 { u = jacobi(u, f, h) to (x=S(0)); }
    let c = cycle(coarser(residual(u, f, h) to (x=S(0)), floor_div(n - 1, 2)) to (x=S(0)), 2.0 * h);
    u = u + ((at_odd(c, n) + 0.5 * (before(c, n) + behind(c, n))) to (x=S(0)));
    for t in 0..2 { u = jacobi(u, f, h) to (x=S(0)); }
    return u;
}
fn solved(f) { let u = cycle(f, 1.0 / 32.0); return sum(u * u) to B; }

fn weighed(d) { return sum(d * reshape((iota(volume(d.shape)) % 7) as f64, d.shape)) to B; }

main {
    let (a, da) = value_and_grad(energy, wrt = "a")(u);
    print(a, weighed(da));
    let (b, db) = value_and_grad(maxwell, wrt = "e0")(e);
    print(b, weighed(db));
    let (c, dc) = value_and_grad(solved, wrt = "f")(f);
    print(c, weighed(dc));
}
