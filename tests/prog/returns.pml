// `return` in branches and loops that the running program decides, of functions that the host runs and of differentiated ones: tuples, structs and
// numbers, from loops in loops, from loops that end no other way. Derivatives in f64 are compared with differences.
//% ranks 1 2 (3 4)
//% also --loops=unrolled
const N : int = 1;
config c : int = 1;
config n : int = 10;
place p = ranks(0..N);
param w : f64[3] @ p = [1.0, 2.0, 3.0];
state calls : i32 @ p = 0;
struct Found[on: place] { at : f64[3] @ on = zeros(), turn : i32 @ on = 0 }

fn climb(x: f64[3] @ p, c: int) {
    if c > 5 { return (x * 2.0, 1); }
    if c > 3 { return (x * 3.0, 2); } else { if c > 2 { return (x * x, 3); } }
    var y = x;
    for i in 0..n {
        y = y * 1.1;
        if sum(y) > 20.0 { return (y * y, i); }
        if sum(y) > 1000.0 { break; }
        for j in 0..4 { if sum(y) * (j as f64) > 50.0 + c { return (y * 10.0, i * 10 + j); } y = y + 0.01; }
    }
    return (y, -1);
}
fn climbed(x: f64[3] @ p) { let (y, i) = climb(x * w, c); return sum(y * y) * (1.0 + 0.1 * (i as f64)); }
fn fixed_point(x: f64[3] @ p) {
    var y = x;
    while true {
        let next = 0.5 * y + 0.25 * cos(y);
        if sum(abs(next - y)) < 0.000001 { return next; }
        y = next;
    }
}
fn solved(x: f64[3] @ p) { return sum(fixed_point(x) * w * x); }
fn known(x: f64[3] @ p) { for i in 0..3 { if x[i] > 1.5 { return x[i] * x[i]; } } return sum(x); }
fn first(x: f64[3] @ p) -> int { for i in 0..3 { if x[i] > 1.5 { return i; } } return -1; }
fn lists(x: f64[3] @ p) { for k in [2, 3, 5] { let d = x[0..2] * k; if sum(d) > 10.0 { return [d, d + 1.0]; } } return [x[0..2], x[1..3]]; }
fn label(x: f64[3] @ p) { if sum(x) > 100.0 { return "large"; } if c > 0 { return "small"; } return "tiny"; }
fn maybe(x: f64[3] @ p) { if sum(x) > 100.0 { return; } calls = calls + 1; }
fn unplaced(x: f64[3] @ p) { if c > 3 { return 0.0; } return sum(x); }
fn one_by_one(x: f64[3] @ p) { for i in 0..3 { let r = x[0..i + 1]; if sum(r) > 2.0 { return sum(r * r); } } return x[0]; }
fn in_each(x: f64[3] @ p) {
    let g = grad(climbed)(x);
    each (q, d) in g { if sum(d) > 0.0 { return sum(d * q); } }
    return 0.0 * sum(x);
}

main {
    let x = w * 1.0;
    for k in [0, 3, 4, 6] { let (y, i) = climb(x, c + k - 1); print(y, i); }
    for s in [1.0, 0.3, 0.01] { let (y, i) = climb(x * s, c); print(y, i, first(x * s), known(x * s)); }
    for k in 0..c + 2 { print(k, known(x * (k as f64)), one_by_one(x * (k as f64)), label(x * (k as f64) * 10.0)); maybe(x * (k as f64) * 10.0); }
    let (a, b) = lists(x);
    print(a, b, fixed_point(x), calls, unplaced(x), in_each(x));
    for s in [1.0, 0.3] {
        print(grad(climbed, wrt = "x")(x * s), grad(solved, wrt = "x")(x * s), grad(known, wrt = "x")(x * s), grad(unplaced, wrt = "x")(x * s));
        check_gradient(climbed, x * s, rtol = 1e-5);
        check_gradient(solved, x * s, rtol = 1e-5);
        check_gradient(known, x * s, rtol = 1e-5);
        check_gradient(one_by_one, x * s, rtol = 1e-5);
    }
    print(grad(solved)(x).w, vmap(known)(stack([x, 0.1 * x], dim = 0)));
}
