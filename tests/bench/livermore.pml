// Livermore kernels of which no part is a recurrence alone, in f64, as a program has them: slices, index notation, products, and loops over elements where
// one is read or written by an index that is data. Which one is said by -D KERNEL=. livermore.c computes the same.
const KERNEL : int = 2;
const N : int = 1000; // elements, rows or particles
const TURNS : int = 1;
config rounds : int = 5;
config times : int = 1; // of a round: what is in a loop of the host is a region, and the sum behind it another
const GRID : int = 64;

place one = ranks(0..1);
state x : f64[2 * N + 2] @one = zeros();
state v : f64[2 * N + 2] @one = zeros();
state w : f64[2 * N + 2] @one = zeros();
state u1 : f64[2, N, 5] @one = zeros();
state u2 : f64[2, N, 5] @one = zeros();
state u3 : f64[2, N, 5] @one = zeros();
state px : f64[N, 25] @one = zeros();
state cx : f64[N, 25] @one = zeros();
state vy : f64[25, 25] @one = zeros();
state p : f64[N, 4] @one = zeros();
state h : f64[GRID, GRID] @one = zeros();

fn mixed(n: int, s: int) { return ((iota(n) * 7 + iota(n) * iota(n) % 13 * 3 + s * 5) % 31) as f64 / 31.0; }
fn table(n: int, m: int, s: int) { return reshape(mixed(n * m, s), [n, m]); }
fn cells(n: int, s: int) { return reshape(mixed(2 * n * 5, s), [2, n, 5]); }

// Incomplete Cholesky, conjugate gradients: half as many each time.
fn iccg(x0: f64[2 * N + 2], v: f64[2 * N + 2]) {
    var x = x0;
    var (left, at) = (N, 0);
    while left > 1 {
        let from = at;
        at += left;
        left = floor_div(left, 2);
        for r in 0..left {
            let k = from + 1 + 2 * r;
            x[at + 1 + r] = x[k] - v[k] * x[k - 1] - v[k + 1] * x[k + 1];
        }
    }
    return x;
}

// Alternating directions, both columns at once.
const E : int = N - 1;
fn stepped(u: f64[2, N, 5], a: f64[E - 1, 2], b: f64[E - 1, 2], c: f64[E - 1, 2], k1: f64, k2: f64, k3: f64) {
    let old = u[0, 1..E];
    return old[.., 1..3] + k1 * a + k2 * b + k3 * c + 0.5 * (old[.., 2..4] - 2.0 * old[.., 1..3] + old[.., 0..2]);
}
fn adi(u1: f64[2, N, 5], u2: f64[2, N, 5], u3: f64[2, N, 5]) {
    let d1 = u1[0, 2.., 1..3] - u1[0, 0..N - 2, 1..3];
    let d2 = u2[0, 2.., 1..3] - u2[0, 0..N - 2, 1..3];
    let d3 = u3[0, 2.., 1..3] - u3[0, 0..N - 2, 1..3];
    var (y1, y2, y3) = (u1, u2, u3);
    y1[1, 1..E, 1..3] = stepped(u1, d1, d2, d3, 0.1, 0.2, 0.3);
    y2[1, 1..E, 1..3] = stepped(u2, d1, d2, d3, 0.4, 0.5, 0.6);
    y3[1, 1..E, 1..3] = stepped(u3, d1, d2, d3, 0.7, 0.8, 0.9);
    return (y1, y2, y3);
}

fn integrated(px: f64[N, 25]) {
    var y = px;
    y[.., 0] = 0.7 * px[.., 12] + 0.6 * px[.., 11] + 0.5 * px[.., 10] + 0.4 * px[.., 9] + 0.3 * px[.., 8] + 0.2 * px[.., 7] + 0.1 * px[.., 6]
        + 0.25 * (px[.., 4] + px[.., 5]) + px[.., 2];
    return y;
}

fn differences(px: f64[N, 25], cx: f64[N, 25]) {
    var (y, d) = (px, cx[.., 4]);
    for k in 4..13 {
        let old = px[.., k];
        y[.., k] = d;
        d = d - old;
    }
    y[.., 13] = d;
    return y;
}

fn particles_2d(p0: f64[N, 4], h0: f64[GRID, GRID], b: f64[GRID, GRID], c: f64[GRID, GRID], y: f64[2 * GRID], z: f64[2 * GRID]) {
    var (p, h) = (p0, h0);
    for k in 0..N {
        let (i1, j1) = ((p[k, 0] as i64) % GRID, (p[k, 1] as i64) % GRID);
        p[k, 2] += b[j1, i1];
        p[k, 3] += c[j1, i1];
        p[k, 0] += p[k, 2];
        p[k, 1] += p[k, 3];
        let (i2, j2) = ((p[k, 0] as i64) % GRID, (p[k, 1] as i64) % GRID);
        p[k, 0] += y[i2 + 32];
        p[k, 1] += z[j2 + 32];
        h[(j2 + 1) % GRID, (i2 + 1) % GRID] += 1.0;
    }
    return (p, h);
}

// Of grid: where each particle is; field and slope: of cells.
fn particles_1d(rh0: f64[2 * N + 2], grid: f64[N], field: f64[2 * N + 2], slope: f64[2 * N + 2]) {
    let at = grid as i64;
    let vx = field[at - 1] - (at as f64) * slope[at - 1];
    let xx = vx + 0.01;
    let down = xx as i64;
    let rest = xx - down as f64;
    let cell = (down % N + N) % N;
    var rh = rh0;
    for k in 0..N {
        rh[cell[k]] += 1.0 - rest[k];
        rh[cell[k] + 1] += rest[k];
    }
    return (rh, rest + (cell as f64));
}

main {
    for round in 0..rounds {
        (x, v, w) = (mixed(2 * N + 2, 1), mixed(2 * N + 2, 2), mixed(2 * N + 2, 3));
        if KERNEL == 8 { (u1, u2, u3) = (cells(N, 1), cells(N, 2), cells(N, 3)); }
        if KERNEL == 9 || KERNEL == 10 || KERNEL == 21 { (px, cx, vy) = (table(N, 25, 1), table(N, 25, 2), table(25, 25, 3)); }
        if KERNEL == 13 { (p, h) = (40.0 * table(N, 4, 1), table(GRID, GRID, 2)); }
        if KERNEL == 14 { x = 1.0 + x * (N - 2) as f64; }
        log(begin = sum(x) + sum(v) + sum(w) + sum(u1) + sum(u2) + sum(u3) + sum(px) + sum(cx) + sum(vy) + sum(p) + sum(h));
        for time in 0..times {
            if KERNEL == 2 { x = iccg(x, v); }
            if KERNEL == 8 { (u1, u2, u3) = adi(u1, u2, u3); }
            if KERNEL == 9 { px = integrated(px); }
            if KERNEL == 10 { px = differences(px, cx); }
            if KERNEL == 13 { (p, h) = particles_2d(p, h, table(GRID, GRID, 3), table(GRID, GRID, 4), mixed(2 * GRID, 5), mixed(2 * GRID, 6)); }
            if KERNEL == 14 { (w, x[0..N]) = particles_1d(w, x[0..N], v, w); }
            if KERNEL == 21 { px = px + cx @ vy; }
        }
        log(behind = round);
        log(end = sum(x) + sum(v) + sum(w) + sum(u1) + sum(u2) + sum(u3) + sum(px) + sum(p) + sum(h));
    }
}
