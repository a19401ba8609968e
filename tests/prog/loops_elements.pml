// Elements, rows and columns that turns read and replace, with derivatives to second order, in layouts that split them, in loops of known and
// of any number of turns, in loops in loops and arms, and in loops of the host: what all elements are worked out for gives the same as what one
// line is written for.
//% layouts 0:1 (1) (2) 3:4
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

// Two numbers at once, and some outside of the tensor.
fn pairs(x: f64[48, 8] @ all, n: int) -> f64 @ all {
    var y = x;
    for i in 0..n {
        y[i, i * 3 % 8] = y[i + 1, i % 8] * x[i, i % 8] + 1.0;
        y[(i * 7) % 48, i % 8] += y[i, (i + 2) % 8];
        y[(i - 5)?] = x[(i * 9)?] * 2.0;
        y[(i * 11)?, 1] = y[(i + 30)?, 2] + 1.0;
    }
    return sum(y * y * x);
}

op marked(y[r, c], row: int, column: int) -> [r, c] = if r == row => (if c == column => 0.5 * y else 0.25) else y;

// Elements by two numbers, one of which may be known, of few lines, on the diagonal, multiplied and divided; a line of which what is replaced is more
// than an element; an element of a split tensor.
fn points(x: f64[48, 8] @ all, z: f64[48, 8] @ all : S(0), n: int) -> f64 @ all {
    var (y, t) = (x, z);
    var few = reshape(x, [3, 128]);
    var square = reshape(v[0..256], [16, 16]);
    for i in 0..n {
        y[(i * 5) % 48, i % 8] *= 1.0 + y[i, 3] * x[i + 1, 2];
        y[(i * 7) % 48, 2] /= 2.0 + y[i, (i + 1) % 8];
        y[3, (i * 3) % 8] -= y[i, 1];
        y[4, 5] = y[4, 5] * 0.5 + y[i, 6];
        y[5, 6] = 0.25;
        y[7, 1] = 0.5;
        y[8, i % 8] = 0.75;
        y = marked(y, (i * 11) % 48, i % 8);
        few[i % 3, (i * 13) % 128] = few[(i + 1) % 3, i] + 1.0;
        few[1, i + 50] += few[2, i] * 0.5;
        square[i % 16, i % 16] = square[(i + 3) % 16, i % 16] - square[2, 2];
        t[i, (i + 1) % 8] = t[i, i % 8] * 1.5 to B;
        t[(i * 3) % 48, 4] += 0.25;
    }
    return sum(y * y * x) + sum(few * few) + sum(square * square) + (sum(t * z) to B);
}

// In arms, and where which line it is depends on what is there.
fn decided(v: f64[300] @ all) -> f64 @ all {
    var y = v;
    var k = 0;
    while k < turns {
        if y[k] > 0.0 {
            y[k] = y[k + 1] * 2.0;
            if y[k] > 0.2 { y[k + 2] = v[k]; }
        } else {
            y[3 * k] += 0.5 * y[k];
        }
        for j in 0..k % 3 { y[j] = y[j] * 0.9 + v[k]; }
        k += 1;
        if y[k] > 0.45 { k += 1; }
    }
    return sum(y * y * v);
}

// Keys and values of the turns so far, read as a whole.
fn cache(x: f64[48, 8] @ all, n: int) -> f64 @ all {
    var k = x * 0.0;
    var v = k;
    var q = x[0];
    for t in 0..n {
        k[t] = tanh(q * x[t]);
        v[t] = q + x[t + 1];
        let s = exp(k @ q) * (iota(48) <= t) as f64;
        q = (s @ v) / sum(s);
    }
    return sum(q * q) + sum(k) + sum(v * v);
}

// Of 16 bits, bools and bytes.
fn short(b: f16[300] @ all, n: int) -> f32 @ all {
    var y = b;
    var c = reshape(iota(300), [300]) as i32;
    var d = c as u8;
    var t = c > 100;
    var s = 0.0;
    for i in 0..n {
        y[i * 7 % 300] = y[i + 1] * b[i];
        c[i] = c[i + 1] * 2;
        d[i * 3 % 300] = d[i] + d[i];
        t[i] = !t[i + 1];
        t[(i * 5) % 300] = t[i] && c[i] > 20;
        s = s + b[i] as f32 * y[i] as f32;
    }
    return s + sum(y as f32) + sum(c) as f32 + sum(d as i32) as f32 + sum(t as i32) as f32;
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
fn cached(x: f64[48, 8] @ all) -> f64 @ all { return cache(x, turns); }
fn cached_twice(x: f64[48, 8] @ all) -> f64 @ all { return sum(grad(cache, wrt = "x")(x, 20) ** 2.0); }
fn pairs_along(x: f64[48, 8] @ all) -> f64 @ all { return pairs(x, turns); }
fn points_along(x: f64[48, 8] @ all) -> f64 @ all { return points(x, x to S(0), turns); }
fn points_twice(x: f64[48, 8] @ all) -> f64 @ all { return sum(grad(points, wrt = "x")(x, x to S(0), 20) ** 2.0); }
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
    print(value_and_grad(decided, wrt = "v")(v), vmap(decided)(reshape(concat([v, v * -1.0]), [2, 300])));
    print(value_and_grad(pairs_along, wrt = "x")(x), value_and_grad(cached, wrt = "x")(x));
    print(value_and_grad(cached_twice, wrt = "x")(x));
    print(value_and_grad(points, wrt = ("x", "z"))(x, x to S(0), turns), value_and_grad(points_twice, wrt = "x")(x));
    print(value_and_grad(short, wrt = "b")(v as f16, turns));
    var y = v;
    for i in 0..turns {
        let old = y;
        y[i] = y[i + 1] * 2.0 + v[i];
        v[i * 7 % 300] += y[i];
        if i % 9 == 4 { print(sum(old * y), y[i] - old[i]); }
        if i % 11 == 3 { y[i + 2] = sum(y); print(y[i + 2], argmax(y)); y[2 * i] = y[i + 2] * 0.001; }
    }
    print(sum(y), sum(v));
    check_gradient(decided, v * 0.5);
    check_gradient(pairs_along, x);
    check_gradient(cached_twice, x);
    check_gradient(points_along, x);
    check_gradient(along, v);
    check_gradient(rows_along, x);
    check_gradient(nested, v);
}
