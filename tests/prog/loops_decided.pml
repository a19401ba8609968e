// Loops and branches that the running program decides, in functions that are differentiated: each beside what it comes to. Split over
// ranks, on two placements, with states, draws, and a derivative in a loop.
//% ranks 1 4 (2 3)
//% rtol 1e-4
const N : int = 1;
place p = ranks(0..N);
param w : f32[6, 6] @ p : S(0) = normal(std = 0.4);
param b : f32[6] @ p = normal();
param v : [3] f32[6] @ p = normal();
config n : int = 4;

fn cell(h: f32[8, 6] @ p : S(0), x: f32[8, 6] @ p : S(0)) -> f32[8, 6] @ p : S(0) { return tanh(h @ (w to B) + x + b); }
fn total(h: f32[8, 6] @ p : S(0)) -> f32 @ p { return sum(h * h) to B; }

fn counted(x: f32[8, 6] @ p : S(0)) -> f32 @ p { var h = x; for i in 0..n { h = cell(h, x * i); } return total(h); }
fn counted_by_hand(x: f32[8, 6] @ p : S(0)) -> f32 @ p { var h = x; for i in 0..4 { h = cell(h, x * i); } return total(h); }

fn small(x: f32[8, 6] @ p : S(0)) -> f32 @ p {
    var h = x;
    var k = 0;
    while total(h) > 9.0 && k < n { h = cell(h, x) * 0.5; k += 1; }
    return total(h) + k;
}

fn one_of(x: f32[8, 6] @ p : S(0)) -> f32 @ p {
    var h = x;
    for i in 0..n {
        if i % 2 == 0 { h = cell(h, x); } else { h = h * b; }
        if i == 2 { break; }
    }
    return total(h);
}
fn one_of_by_hand(x: f32[8, 6] @ p : S(0)) -> f32 @ p { return total(cell(cell(x, x) * b, x)); }

fn draws(x: f32[8, 6] @ p : S(0)) -> f32 @ p {
    var h = x;
    for i in 1..n { h = cell(h, uniform(rng(7, i), [8, 6]) to @p : S(0)); }
    return total(h);
}
fn draws_by_hand(x: f32[8, 6] @ p : S(0)) -> f32 @ p {
    var h = x;
    for i in 1..4 { h = cell(h, uniform(rng(7, i), [8, 6]) to @p : S(0)); }
    return total(h);
}

fn energy(y: f32[6] @ p) -> f32 @ p { return sum(y * y * b); }
fn descends(x: f32[8, 6] @ p : S(0)) -> f32 @ p {
    var y = v[0];
    for i in 0..n { y = y - 0.1 * grad(energy, wrt = "y")(y * v[1]); }
    return total(x * y);
}
fn descends_by_hand(x: f32[8, 6] @ p : S(0)) -> f32 @ p {
    var y = v[0];
    for i in 0..4 { y = y - 0.1 * (2.0 * y * v[1] * b); }
    return total(x * y);
}

fn nested(x: f32[8, 6] @ p : S(0)) -> f32 @ p {
    var h = x;
    for i in 0..n { for j in 0..i { h = cell(h, x * j); } }
    return total(h);
}
fn nested_by_hand(x: f32[8, 6] @ p : S(0)) -> f32 @ p {
    var h = x;
    for i in 0..4 { for j in 0..i { h = cell(h, x * j); } }
    return total(h);
}

fn rows(x: f32[8, 6] @ p : S(0)) -> f32 @ p {
    let y = x to B;
    var h = v[0];
    for i in 0..2 * n { h = tanh(h * v[1] + y[i] * y[7 - i]); }
    return sum(h * v[2]);
}
fn rows_by_hand(x: f32[8, 6] @ p : S(0)) -> f32 @ p {
    let y = x to B;
    var h = v[0];
    for i in 0..8 { h = tanh(h * v[1] + y[i] * y[7 - i]); }
    return sum(h * v[2]);
}

fn shown(f, x) {
    let (l, g) = value_and_grad(f, wrt = (w, b))(x);
    print(l, sum(g.w) to B, g.w[0, 2] to B, sum(g.b), g.b[3]);
}
fn shown_v(f, x) {
    let (l, g) = value_and_grad(f, wrt = (b, v[0], v[1]))(x);
    print(l, sum(g.b), g.v[0][1], g.v[1][3]);
}

main {
    let x = normal(rng(1), [8, 6]) to @p : S(0);
    shown(counted, x);
    shown(counted_by_hand, x);
    shown(small, x);
    shown(one_of, x);
    shown(one_of_by_hand, x);
    shown(draws, x);
    shown(draws_by_hand, x);
    shown_v(descends, x);
    shown_v(descends_by_hand, x);
    shown(nested, x);
    shown(nested_by_hand, x);
    let (l, g) = value_and_grad(rows)(x);
    print(l, g.v[0][1], g.v[1][3]);
    let (m, h) = value_and_grad(rows_by_hand)(x);
    print(m, h.v[0][1], h.v[1][3]);
}
