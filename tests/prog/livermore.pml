// Kernels of the Livermore loops (McMahon, 1986) as they are written for Fortran: recurrences, an incomplete Cholesky sweep by halves, a search with
// exits, branches on what elements are, counters; and a system of Toeplitz form (Durbin, 1960), whose sums read backwards.
//% ranks 1 (2)
//% also --loops=unrolled
//% also --target-cpu=x86-64-v3
//% rtol 1e-9
const SIZE : int = 72;
const N : int = 1;
place all = ranks(0..N);
state b : f64[SIZE, SIZE] @ all = zeros();
state x : f64[SIZE] @ all = zeros();
state y : f64[SIZE] @ all = zeros();
state z : f64[SIZE] @ all = zeros();
state v : f64[2 * SIZE] @ all = zeros();

fn mixed(s: int, n: int) { return ((iota(n) * 7 + s * 5) % 31) as f64 / 31.0; }

fn incomplete(x0: f64[2 * SIZE], v: f64[2 * SIZE]) {                       // 2
    var (x, ii, top) = (x0, SIZE, 0);
    for level in 0..6 {
        let from = top;
        top += ii;
        ii = floor_div(ii, 2);
        for m in 0..ii { let k = from + 1 + 2 * m; x[top + m] = x[k] - v[k] * x[k - 1] - v[k + 1] * x[k + 1]; }
    }
    return x;
}
fn banded(x0: f64[SIZE], y: f64[SIZE]) {                                   // 4
    var x = x0;
    for r in 0..3 {
        var (lw, t) = (20 * r, x[20 * r + 5]);
        for j in 0..14 { t -= x[lw] * y[4 + 4 * j]; lw += 1; }
        x[20 * r + 5] = y[4] * t;
    }
    return x;
}
fn tridiagonal(x0: f64[SIZE], y: f64[SIZE], z: f64[SIZE]) {                // 5
    var x = x0;
    for i in 1..SIZE { x[i] = z[i] * (y[i] - x[i - 1]); }
    return x;
}
fn linear(b: f64[SIZE, SIZE]) {                                            // 6
    var w = full(0.01, [SIZE], dtype = f64);
    for i in 1..SIZE { for k in 0..i { w[i] += b[k, i] * w[i - k - 1]; } }
    return w;
}
fn linear_sum(b: f64[SIZE, SIZE]) { return sum(linear(b)); }
fn search(zone: i64[SIZE], t: f64) {                                       // 16
    var (at, seen) = (0, 0);
    while seen < 200 {
        seen += 1;
        let w = (zone[at] as f64) / 31.0 - t;
        if w < 0.0 && zone[at] > 3 { at = (at + zone[at]) % SIZE; continue; }
        if w > 0.4 { break; }
        at = (at + 1) % SIZE;
    }
    return (at, seen);
}
fn implicit(v0: f64[SIZE], y: f64[SIZE], z: f64[SIZE]) {                   // 17
    var (ne, nd, e) = (v0, zeros([SIZE], dtype = f64), zeros([SIZE], dtype = f64));
    var (m, e6) = (1.0 / 3.0, 1.03 / 3.07);
    for r in 1..SIZE {
        let k = SIZE - r;
        let (e3, old) = (m * y[k] + z[k], ne[k]);
        nd[k] = e6;
        if m > 1.6 * e3 || old > 1.6 * e3 { e6 = m * z[k] + y[k]; ne[k] = e6; e[k] = e6; } else { e[k] = e3; e6 = e3 + e3 - m; ne[k] = e3 + e3 - old; }
        m = e6;
    }
    return (ne, nd, e);
}
fn two_ways(a: f64[SIZE], c: f64[SIZE]) {                                  // 19
    var (b, s) = (zeros([SIZE], dtype = f64), 0.1);
    for k in 0..SIZE { b[k] = a[k] + s * c[k]; s = b[k] - s; }
    for i in 1..SIZE + 1 { let k = SIZE - i; b[k] = a[k] + s * c[k]; s = b[k] - s; }
    return b;
}
fn hydro(a: f64[SIZE, SIZE], b: f64[SIZE, SIZE]) {                         // 23
    var x = a;
    for j in 1..SIZE - 1 {
        for k in 1..SIZE - 1 {
            let q = x[j + 1, k] * b[j, k] + x[j - 1, k] * b[k, j] + x[j, k + 1] * 0.2 + x[j, k - 1] * 0.1;
            x[j, k] += 0.175 * (q - x[j, k]);
        }
    }
    return x;
}
fn least(x: f64[SIZE]) { var m = 0; for k in 1..SIZE { if x[k] < x[m] { m = k; } } return m; }     // 24

fn durbin(r: f64[SIZE]) {
    var (y, z) = (zeros([SIZE], dtype = f64), zeros([SIZE], dtype = f64));
    y[0] = -r[0];
    var (beta, alpha) = (1.0, -r[0]);
    for k in 1..SIZE {
        beta = (1.0 - alpha * alpha) * beta;
        var s = 0.0;
        for i in 0..k { s += r[k - i - 1] * y[i]; }
        alpha = -(r[k] + s) / beta;
        for i in 0..k { z[i] = y[i] + alpha * y[k - i - 1]; }
        for i in 0..k { y[i] = z[i]; }
        y[k] = alpha;
    }
    return y;
}
// What the result is a solution of: T y = -r, T symmetric with 1 and r along its diagonals.
fn remains(r: f64[SIZE], y: f64[SIZE]) {
    let i = iota(SIZE);
    let apart[a, c] = abs(i[a] - i[c]);
    let t = where(apart == 0, 1.0 as f64, r[maximum(apart - 1, 0)]);
    return max(abs(t @ y + r));
}
fn weight(n: f64[SIZE]) { return n * (iota(SIZE) as f64 * 0.01 + 1.0); }

main {
    let i = iota(SIZE);
    let mix[r, c] = ((i[r] * 7 + i[c] * 7 + i[r] * i[c] * 3) % 31) as f64 / 31.0;
    b = 0.05 * mix to @all;
    (x, y, z) = (mixed(1, SIZE) to @all, mixed(2, SIZE) to @all, mixed(3, SIZE) to @all);
    v = 0.3 * mixed(4, 2 * SIZE) to @all;
    print(sum(incomplete(v, mixed(1, 2 * SIZE) to @all)), sum(weight(banded(x, 0.1 * y))), sum(weight(tridiagonal(x, y, z))), sum(weight(linear(b))));
    let zone = (i * 7 + i * i) % 31;
    print(search(zone to @all, 0.5), least(y), argmin(y), least(x - y));
    let (ne, nd, e) = implicit(0.3 * x, 0.2 * y, 0.3 * z);
    print(sum(weight(ne)), sum(weight(nd)), sum(weight(e)), sum(weight(two_ways(x, 0.5 * y))), sum(hydro(b, 2.0 * b) @ y));
    let r = 0.01 * x;
    print(sum(weight(durbin(r))), remains(r, durbin(r)) < 1e-12);
    let g = grad(linear_sum)(b);
    let d = 1e-6 * mix;
    print(abs(sum(g * d) * 2.0 - (linear_sum(b + d) - linear_sum(b - d))) < 1e-9 * abs(sum(g * d)), sum(g));
}
