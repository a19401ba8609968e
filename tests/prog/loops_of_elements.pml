// Recurrences written as they are computed, element by element: factorisations, a sweep, tables of dynamic programming, in loops whose numbers of
// turns are numbers of turns or data, with arms, carried numbers, lines and small vectors, indices that are data, and derivatives.
//% ranks 1 (2)
//% also --loops=unrolled
//% also --target-cpu=x86-64-v3
import std.linalg;

const SIZE : int = 18;
const N : int = 1;
place all = ranks(0..N);
state a : f64[SIZE, SIZE] @ all = zeros();
state letters : i64[SIZE] @ all = (iota(SIZE) * iota(SIZE) * 3 + iota(SIZE)) % 7 % 4;
state order : i32[SIZE] @ all = ((iota(SIZE) * 5 + 3) % SIZE) as i32;

fn definite() {
    let i = iota(SIZE);
    let m[r, c] = ((i[r] * 7 + i[c] * 7 + i[r] * i[c] * 3) % 31) as f64 / 31.0;
    return m + (SIZE as f64) * eye(SIZE, dtype = f64);
}

fn cholesky(a: f64[SIZE, SIZE]) {
    var x = a;
    for i in 0..SIZE {
        for j in 0..i {
            for k in 0..j { x[i, j] -= x[i, k] * x[j, k]; }
            x[i, j] /= x[j, j];
        }
        for k in 0..i { x[i, i] -= x[i, k] * x[i, k]; }
        x[i, i] = sqrt(x[i, i]);
    }
    return tril(x);
}

fn lu(a: f64[SIZE, SIZE]) {
    var x = a;
    for i in 0..SIZE {
        for j in 0..i {
            for k in 0..j { x[i, j] -= x[i, k] * x[k, j]; }
            x[i, j] /= x[j, j];
        }
        for j in i..SIZE {
            for k in 0..i { x[i, j] -= x[i, k] * x[k, j]; }
        }
    }
    return x;
}

fn sweep(a: f64[SIZE, SIZE]) {
    var x = a;
    for t in 0..2 {
        for i in 1..SIZE - 1 {
            for j in 1..SIZE - 1 { x[i, j] = (x[i - 1, j] + x[i, j - 1] + x[i, j] + x[i, j + 1] + x[i + 1, j]) / 5.0; }
        }
    }
    return x;
}

// Base pairs of a sequence folded on itself (Nussinov, 1978).
fn pairs(s: i64[SIZE]) {
    var t = zeros([SIZE, SIZE], dtype = i64);
    for r in 0..SIZE {
        let i = SIZE - 1 - r;
        for j in i + 1..SIZE {
            t[i, j] = max(t[i, j], t[i, j - 1]);
            if i + 1 < SIZE { t[i, j] = max(t[i, j], t[i + 1, j]); }
            if i < j - 1 { t[i, j] = max(t[i, j], t[i + 1, j - 1] + (s[i] + s[j] == 3) as i64); } else { t[i, j] = max(t[i, j], t[i + 1, j - 1]); }
            for k in i + 1..j { t[i, j] = max(t[i, j], t[i, k] + t[k + 1, j]); }
        }
    }
    return t;
}

// By what is read: which row, how often, whether at all; numbers that are carried on, and one that the next turns begin with.
fn followed(a: f64[SIZE, SIZE], order: i32[SIZE], n: int) {
    var (x, s, last) = (a, 0.5, 0);
    for i in 0..n {
        let row = order[i];
        s = s * 0.75 + x[row, i];
        for j in 0..row % 5 {
            if x[j, row] > s { x[row, j] = x[j, row] - s; } else { x[j, i] += s * x[row, last]; }
        }
        x[row - SIZE, 3] *= 0.5;
        last = (last + row as i64) % SIZE;
    }
    return sum(x * x) + s;
}

// Lines of three, each from the two before.
fn track(start: f64[3], pull: f64[SIZE, 3], n: int) {
    var (here, before) = (start, 0.9 * start);
    var way = zeros([SIZE, 3], dtype = f64);
    for i in 0..n {
        let next = 1.9 * here - 0.95 * before + 0.01 * pull[i];
        (before, here) = (here, next);
        way[i] = here;
    }
    return way;
}

// What is read of y is kept for the derivative before the next loop writes over it.
fn kept(a: f64[SIZE, SIZE], b: f64[300]) {
    var (x, y, k) = (a, b, 1);
    for q in 0..SIZE {
        for j in 0..k + 2 {
            for l in 0..k + 2 { x[q, q] *= y[j]; }
            for l in j..7 { y[1] += 0.5; }
            y[1] = 0.15;
            for l in q..7 { k = 1; }
        }
    }
    return sum(x * x);
}

fn of_path(pull: f64[SIZE, 3]) { return sum(track([1.0, 2.0, 3.0], pull, SIZE) ** 2.0); }
fn of_factor(a: f64[SIZE, SIZE]) { let c = cholesky(a); return sum(c * sin(c)); }
fn of_rows(a: f64[SIZE, SIZE]) { return followed(a, order, SIZE); }

main {
    a = definite() to @all;
    assert_close(cholesky(a), linalg.cholesky(a), rtol = 1e-12);
    let f = lu(a);
    assert_close((tril(f, diagonal = -1) + eye(SIZE, dtype = f64)) @ triu(f), a, rtol = 1e-12);
    print(sum(sweep(a) * a), sweep(a)[SIZE - 2, 1..5]);
    print(pairs(letters)[0], sum(pairs(letters)));
    for n in [SIZE, 1, 0] { print(followed(a, order, n), sum(track([1.0, 2.0, 3.0], a[.., 0..3], n))); }
    let (l, g) = value_and_grad(of_factor, wrt = "a")(a);
    print(l, sum(g), sum(g * g), g[SIZE - 1, 0..4]);
    let (m, h) = value_and_grad(of_rows, wrt = "a")(a);
    print(m, sum(h * h), h[2, 0..4]);
    let (u, d) = value_and_grad(kept, wrt = 1)(a / 20.0, reshape(a, [324])[0..300] / 9.0 + 0.5);
    print(u, sum(d * d), d[0..4]);
    check_gradient(of_path, a[.., 0..3]);
}
