// Elements of lists by ints that only the running program knows: of params, tensors, numbers, tuples and structs; in functions that are
// differentiated, by counters, remainders, what a tensor says; lists whose loops are left. Each beside the same by known numbers.
//% ranks 1 2 (3 4)
//% also --loops=unrolled
//% fails [--n=4] this loop is to make 3 turns at the most, and would make 4
const N : int = 1;
place p = ranks(0..N);
struct Layer[q: place] { a : f64[4, 4] @ q = normal(std = 0.5), b : f64[4] @ q = normal(std = 0.1) }
param layers : [5] Layer[p];
param ws : [3] f64[4] @ p : S(0) = normal(std = 0.5);
param first : f64[4] @ p : S(0) = normal();
config n : int = 3;

fn deep(x: f64[2, 4] @ p, known: bool) -> f64 @ p {
    var h = x;
    if known {
        for i in 1..4 { h = tanh(h @ layers[i].a + layers[i].b) + h; }
    } else {
        var i = 1;
        while i < 4 {
            h = tanh(h @ layers[i].a + layers[i].b) + h;
            i += 1;
            if i > n { break; }
        }
    }
    return sum(h * h);
}
fn rest(x: f64[4] @ p : S(0), known: bool) -> f64 @ p {
    var h = x;
    if known {
        h = tanh(tanh(tanh(h * ws[0]) * ws[1]) * ws[2]) * ws[0];
    } else {
        for t in 0..n { h = tanh(h * ws[t % 3]); }
        h = h * ws[n - 3];
    }
    return sum(h) to B;
}
fn mixed_values(x: f64[4] @ p, known: bool) -> f64 @ p {
    let l = [x, x * 2.0, sin(x)];
    let rates = [0.5, 0.25, 0.125];
    let both = [(1, x), (2, x * x), (3, l[2])];
    var h = x;
    if known {
        h = h + l[0] * 0.5 + l[1] * 0.25 + l[2] * 0.125;
        h = h * 3 + l[2] + l[0];
    } else {
        for t in 0..n { h = h + l[t] * rates[t]; }
        let (k, y) = both[n - 1];
        h = h * k + y + l[-n];
    }
    return sum(h * h);
}
// The derivatives of what turns only add up, which stand outside of their loop.
fn added(x: f64[4] @ p, known: bool) -> f64 @ p {
    let l = [x * 3.0, x * 2.0, x * x];
    var h = x * 0.0;
    if known {
        h = l[0] + l[1] + l[2];
    } else {
        for t in 0..n { h = h + l[t]; }
    }
    return sum(h);
}
// Left in a turn over a list of tensors, and of numbers.
fn left(x: f64[4] @ p, known: bool) -> f64 @ p {
    var h = x;
    if known {
        h = h + x * 1.0 + x * x;
        h = h * 1.5;
    } else {
        for v in [x, x * x, h * 100.0] {
            if sum(h) > 0.8 * n { break; }
            h = h + v;
        }
        for f in [1.5, 2.5] {
            h = h * f;
            if f * n > 4.0 { break; }
        }
    }
    return sum(h * h);
}

main {
    let x = [0.1, 0.2, 0.3, 0.5] as f64 to @p;
    let rows = uniform(rng(1), [2, 4], dtype = f64) to @p;
    for known in [true, false] {
        let (l, g) = value_and_grad(deep)(rows, known);
        print(l, sum(g.layers[1].a), g.layers[2].b, sum(g.layers[3].a));
        let (m, h) = value_and_grad(rest)(x to S(0), known);
        print(m, h.ws[0] to B, h.ws[2] to B);
        print(value_and_grad(mixed_values, wrt = "x")(x, known));
        print(value_and_grad(added, wrt = "x")(x, known));
        print(value_and_grad(left, wrt = "x")(x, known));
    }
    let sizes = [1, 3, 5, 7];
    let values = [x, x * 2.0, first to B, x];
    let pairs = [(1.5, x), (2.5, first to B), (3.5, x), (4.5, x)];
    for i in 0..n { print(sizes[i], sizes[-1 - i] + 1, sum(values[i]) > 0.0, pairs[i][0]); }
    var k = n;
    k = sizes[k - 1] * 2;
    print(k, sizes[n]);
}
