// Loops over indices as codes for plain C have them (PolyBench/C 4.2, and numbers 9 to 11 Livermore kernels 6, 5 and 17, in f64): which kernel is said by -D KERNEL=. loops.c computes the same.
const KERNEL : int = 0;
const N : int = 400;
const M : int = if KERNEL == 5 => N else 1; // of the third dimension
const TURNS : int = 1;
config rounds : int = 5;
config times : int = 1; // of a round: what is in a loop of the host is a region, and the sum behind it another
const E : int = N - 1;

place one = ranks(0..1);
state a : f64[N, N] @ one = zeros();
state b : f64[N, N] @ one = zeros();
state c : f64[N, N] @ one = zeros();
state cube : f64[N, M, M] @ one = zeros();
state letters : i64[N] @ one = (iota(N) * 7 + iota(N) * iota(N) % 5) % 4;
state pairs : i64[N, N] @ one = zeros();

fn mixed(s: int) {
    let i = iota(N);
    let x[r, q] = ((i[r] * 7 + i[q] * 7 + i[r] * i[q] * 3 + s * 5) % 31) as f64 / 31.0;
    return x;
}
fn mixed_cube() {
    let (i, j) = (iota(N), iota(M));
    let x[r, q, p] = ((i[r] * 7 + j[q] * 11 + j[p] * 5 + i[r] * j[q] * 3 + 5) % 31) as f64 / 31.0;
    return x;
}

fn cholesky(a: f64[N, N]) {
    var x = a;
    for i in 0..N {
        for j in 0..i {
            for k in 0..j { x[i, j] -= x[i, k] * x[j, k]; }
            x[i, j] /= x[j, j];
        }
        for k in 0..i { x[i, i] -= x[i, k] * x[i, k]; }
        x[i, i] = sqrt(x[i, i]);
    }
    return x;
}

fn lu(a: f64[N, N]) {
    var x = a;
    for i in 0..N {
        for j in 0..i {
            for k in 0..j { x[i, j] -= x[i, k] * x[k, j]; }
            x[i, j] /= x[j, j];
        }
        for j in i..N {
            for k in 0..i { x[i, j] -= x[i, k] * x[k, j]; }
        }
    }
    return x;
}

fn nussinov(s: i64[N]) {
    var t = zeros([N, N], dtype = i64);
    for r in 0..N {
        let i = N - 1 - r;
        for j in i + 1..N {
            t[i, j] = max(t[i, j], t[i, j - 1]);
            if i + 1 < N { t[i, j] = max(t[i, j], t[i + 1, j]); }
            if i < j - 1 { t[i, j] = max(t[i, j], t[i + 1, j - 1] + (s[i] + s[j] == 3) as i64); } else { t[i, j] = max(t[i, j], t[i + 1, j - 1]); }
            for k in i + 1..j { t[i, j] = max(t[i, j], t[i, k] + t[k + 1, j]); }
        }
    }
    return t;
}

fn seidel(a: f64[N, N]) {
    var x = a;
    for t in 0..TURNS {
        for i in 1..E {
            for j in 1..E {
                x[i, j] = (x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1] + x[i, j - 1] + x[i, j] + x[i, j + 1]
                    + x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]) / 9.0;
            }
        }
    }
    return x;
}

fn five(a: f64[N, N]) { return 0.2 * (a[1..E, 1..E] + a[1..E, 0..N - 2] + a[1..E, 2..N] + a[2..N, 1..E] + a[0..N - 2, 1..E]); }
fn jacobi(a0: f64[N, N]) {
    var (a, b) = (a0, a0);
    for t in 0..TURNS {
        b[1..E, 1..E] = five(a);
        a[1..E, 1..E] = five(b);
    }
    return a;
}

fn seven(a: f64[N, N, N]) {
    let x = a[1..E, 1..E, 1..E];
    return 0.125 * (a[2..N, 1..E, 1..E] - 2.0 * x + a[0..N - 2, 1..E, 1..E]) + 0.125 * (a[1..E, 2..N, 1..E] - 2.0 * x + a[1..E, 0..N - 2, 1..E])
        + 0.125 * (a[1..E, 1..E, 2..N] - 2.0 * x + a[1..E, 1..E, 0..N - 2]) + x;
}
fn heat(a0: f64[N, N, N]) {
    var (a, b) = (a0, a0);
    for t in 0..TURNS {
        b[1..E, 1..E, 1..E] = seven(a);
        a[1..E, 1..E, 1..E] = seven(b);
    }
    return a;
}

fn waves(ex0: f64[N, N], ey0: f64[N, N], hz0: f64[N, N]) {
    var (ex, ey, hz) = (ex0, ey0, hz0);
    for t in 0..TURNS {
        ey[0] = t as f64;
        ey[1..N] -= 0.5 * (hz[1..N] - hz[0..E]);
        ex[.., 1..N] -= 0.5 * (hz[.., 1..N] - hz[.., 0..E]);
        hz[0..E, 0..E] -= 0.7 * (ex[0..E, 1..N] - ex[0..E, 0..E] + ey[1..N, 0..E] - ey[0..E, 0..E]);
    }
    return (ex, ey, hz);
}

fn paths(d: f64[N, N]) {
    var x = d;
    for k in 0..N { x = minimum(x, unsqueeze(x[.., k], dim = 1) + x[k]); }
    return x;
}

fn durbin(a: f64[N, N]) {
    let r = 0.01 * a[0];
    var (y, z) = (zeros([N], dtype = f64), zeros([N], dtype = f64));
    y[0] = -r[0];
    var (beta, alpha) = (1.0, -r[0]);
    for k in 1..N {
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

fn recurrence(a: f64[N, N]) {
    var w = full(0.01, [N], dtype = f64);
    for i in 1..N { for k in 0..i { w[i] += 0.01 * a[k, i] * w[i - k - 1]; } }
    return w;
}

fn elimination(a: f64[N, N], b: f64[N, N], c: f64[N, N]) {
    var x = a;
    for i in 0..N { for j in 1..N { x[i, j] = b[i, j] * (c[i, j] - x[i, j - 1]); } }
    return x;
}

fn conditional(a: f64[N, N], b: f64[N, N], c: f64[N, N]) {
    var x = a;
    for i in 0..N {
        var m = 1.0 / 3.0;
        for r in 1..N {
            let k = N - r;
            let (e3, old) = (m * 0.3 * b[i, k] + 0.3 * c[i, k], x[i, k]);
            if m > 5.0 / 3.0 * e3 || old > 5.0 / 3.0 * e3 {
                m = m * 0.2 * b[i, k] + 0.2 * c[i, k];
                x[i, k] = m;
            } else {
                m = e3 + e3 - m;
                x[i, k] = e3 + e3 - old;
            }
        }
    }
    return x;
}

// N elements, as a line of a.
fn three(a: f64[N]) { return 0.33333 * (a[0..N - 2] + a[1..E] + a[2..N]); }
fn jacobi_1d(a0: f64[N]) {
    var (a, b) = (a0, a0);
    for t in 0..TURNS {
        b[1..E] = three(a);
        a[1..E] = three(b);
    }
    return a;
}

// Alternating directions: element by element along columns, then along rows.
const STEP : f64 = (N * N) as f64 / TURNS as f64;
fn adi(u0: f64[N, N]) {
    let (a, d) = (-STEP, -0.5 * STEP);
    let (b, e) = (1.0 - 2.0 * a, 1.0 - 2.0 * d);
    var (u, v, p, q) = (u0, zeros([N, N], dtype = f64), zeros([N, N], dtype = f64), zeros([N, N], dtype = f64));
    for t in 0..TURNS {
        for i in 1..E {
            v[0, i] = 1.0;
            p[i, 0] = 0.0;
            q[i, 0] = v[0, i];
            for j in 1..E {
                p[i, j] = -a / (a * p[i, j - 1] + b);
                q[i, j] = (-d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - d * u[j, i + 1] - a * q[i, j - 1]) / (a * p[i, j - 1] + b);
            }
            v[E, i] = 1.0;
            for r in 1..E { let j = E - r; v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]; }
        }
        for i in 1..E {
            u[i, 0] = 1.0;
            p[i, 0] = 0.0;
            q[i, 0] = u[i, 0];
            for j in 1..E {
                p[i, j] = -d / (d * p[i, j - 1] + e);
                q[i, j] = (-a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - a * v[i + 1, j] - d * q[i, j - 1]) / (d * p[i, j - 1] + e);
            }
            u[i, E] = 1.0;
            for r in 1..E { let j = E - r; u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]; }
        }
    }
    return u;
}

main {
    for round in 0..rounds {
        a = mixed(1) + (if KERNEL < 2 => N as f64 else 0.0) * eye(N, dtype = f64);
        if KERNEL == 5 { cube = mixed_cube(); }
        if KERNEL == 6 || KERNEL == 10 || KERNEL == 11 { b = mixed(2); c = mixed(3); }
        log(begin = sum(a) + sum(b) + sum(c) + sum(cube));
        for time in 0..times {
            if KERNEL == 0 { a = cholesky(a); }
            if KERNEL == 1 { a = lu(a); }
            if KERNEL == 2 { pairs = nussinov(letters); }
            if KERNEL == 3 { a = seidel(a); }
            if KERNEL == 4 { a = jacobi(a); }
            if KERNEL == 5 { cube = heat(cube); }
            if KERNEL == 6 { (a, b, c) = waves(a, b, c); }
            if KERNEL == 7 { a = paths(a); }
            if KERNEL == 8 { a[0] = durbin(a); }
            if KERNEL == 9 { a[0] = recurrence(a); }
            if KERNEL == 10 { a = elimination(a, b, c); }
            if KERNEL == 11 { a = conditional(a, b, c); }
            if KERNEL == 12 { a[0] = jacobi_1d(a[0]); }
            if KERNEL == 13 { a = adi(a); }
        }
        log(behind = round);
        log(end = if KERNEL == 2 => sum(pairs) as f64 else if KERNEL == 5 => sum(cube) else if KERNEL == 8 || KERNEL == 9 || KERNEL == 12 => sum(a[0]) else sum(a));
    }
}
