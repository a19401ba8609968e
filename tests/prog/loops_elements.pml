// Elements, rows and columns that turns read and replace, with derivatives to second order, in layouts that split them, in loops of known and
// of any number of turns, in loops in loops and arms: what all elements are worked out for gives the same as what one line is written for.
//% layouts 0 1 (2) 3
//% also --loops=unrolled
//% rtol 1e-6
//% bits loops_elements
const LAYOUT : int = 0;
const N : int = [1, 2, 3, 4][LAYOUT];
place all = ranks(0..N) as (dp = N);
config turns : int = 40;
param x : f64[48, 8] @ all = uniform(rng(1), [48, 8], dtype = f64) - 0.5;
param v : f64[300] @ all = uniform(rng(2), [300], dtype = f64) - 0.5;

// What is read is carried as well: elements, each once and several times in one turn.
fn elements(v: f64[300] @ all, n: int) -> f64 @ all {
    var y = v * 1.0;
    var s = 0.0;
    for i in 0..n {
        y[i * 7 % 300] = tanh(y[i + 1]) * v[i] + y[(i + 2) % 300];
        s = s + v[i] * v[299 - i] + y[i];
    }
    return sum(y * y) + s;
}

// Rows and columns of what is whole, and one that is added to.
fn rows(x: f64[48, 8] @ all, n: int) -> f64 @ all {
    var y = x;
    for i in 0..n {
        y[i] = y[i] * 0.5 + x[(i * 5 + 1) % 48] * y[i, 3];
        y[(i + 1) % 48, i % 8] = sum(x[i]);
        if i % 3 == 1 { y[.., i % 8] = y[.., (i + 1) % 8] * 1.5; }
    }
    return sum(y * y * x);
}

// Split by rows or by columns.
fn split(x: f64[48, 8] @ all : S(0), z: f64[48, 8] @ all : S(1), n: int) -> f64 @ all {
    var y = x;
    var t = z;
    for i in 0..n {
        t[i] = tanh(z[(i + 3) % 48] + t[i]);
        y[.., i % 8] = y[.., (i * 3) % 8] * 0.5 + x[.., i % 8];
    }
    return sum(y * x to B) + sum(t * t to B);
}

// Turns that are known, in others.
fn nested(v: f64[300] @ all) -> f64 @ all {
    var y = v;
    for i in 0..5 {
        var k = 0;
        while k < 20 + i {
            y[k * 11 % 300] = y[(k + i) * 13 % 300] * 0.9 + v[k];
            k += 1;
        }
        for j in 0..10 { y[j + 20 * i] = v[i * j] - y[i + j]; }
    }
    return sum(y * y * v);
}

// A whole that is read in each turn too, and one that is read behind.
fn whole(v: f64[300] @ all, n: int) -> f64 @ all {
    var y = v;
    var s = 0.0;
    for i in 0..n {
        y[i] = y[i] + mean(y) + s;
        s = s * 0.5 + max(y);
    }
    return s + y[n];
}

// Ints, which no derivative asks for.
fn counts(v: f64[300] @ all, n: int) -> f64 @ all {
    var c = reshape(iota(300), [300]) % 7;
    var s = 0.0;
    for i in 0..n {
        c[i] = c[c[i + 1] * 3] + 1;
        s = s + v[c[i] * 2 + i] * v[i];
    }
    return s * sum(c) as f64;
}

fn second(v: f64[300] @ all) -> f64 @ all { return sum(grad(elements, wrt = "v")(v, turns) ** 2.0); }
fn along(v: f64[300] @ all) -> f64 @ all { return elements(v, turns); }
fn rows_along(x: f64[48, 8] @ all) -> f64 @ all { return rows(x, turns); }

main {
    for n in [turns, 0, 1] {
        let (l, g) = value_and_grad(elements, wrt = "v")(v, n);
        print(l, g[0..40], sum(g * g));
        let (r, d) = value_and_grad(rows, wrt = "x")(x, n);
        print(r, d[0..4], sum(d * d));
        print(value_and_grad(split, wrt = ("x", "z"))(x to S(0), x to S(1), n));
        let (w, dw) = value_and_grad(whole, wrt = "v")(v, n);
        print(w, sum(dw * dw), dw[0..8]);
        let (c, dc) = value_and_grad(counts, wrt = "v")(v, n);
        print(c, sum(dc * dc), dc[0..8]);
        print(elements(v, n), rows(x, n));
    }
    let (m, dm) = value_and_grad(nested, wrt = "v")(v);
    print(m, sum(dm * dm), dm[0..20]);
    let (s, ds) = value_and_grad(second, wrt = "v")(v);
    print(s, sum(ds * ds), ds[0..20]);
    print(jvp(along)(v, v * v), jvp(rows_along)(x, x * x));
    check_gradient(along, v);
    check_gradient(rows_along, x);
    check_gradient(nested, v);
}
