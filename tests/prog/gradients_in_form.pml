// Gradients by the same params have one form where they meet: functions may read the params in different orders, and the derivatives by a
// list may be one tensor or one by one. Sums of them over loops and branches of the host, of functions, and what functions return.
//% ranks 1 2 (3 4)
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
param ws : [3] f32[4, 4] @ p : S(0) = normal(std = 0.5);
param v : f32[4] @ p = ones();
struct Pair { a : f32[2] @ p = ones(), b : f32 @ p = 3.0 }
param pairs : [3] Pair;
param u : [3] f64[2] @ p = ones();
config zero : float = 0.0;
config n : int = 3;
config one : int = 1;

fn deep(x) { var h = x; for i in 0..3 { h = tanh(h @ ws[i] to B); } return mean(h * v) to B; }
fn apart(x) { return mean((x * v) @ ws[2]) + sum(ws[0] * ws[1]) to B; }
fn batch(i: int) { return normal(rng(i), [8, 4]) to @p : B; }
fn product(i: int) { var h = ones([2], f64) to @p; for k in 0..3 { h = h * u[k]; } return sum(h); }
fn signed(i: int) { return sum(-zero * u[2]) + sum(u[0] * 2.0) + sum(-zero * u[1]); }
fn chosen(i: int) { return sum(square(pairs[i].a)) * pairs[i].b; }
fn other(i: int) { return pairs[1].b * pairs[1].b + sum(pairs[2].a) * pairs[0].b + pairs[2].b + sum(pairs[0].a) * pairs[i].b * sum(pairs[1].a); }

/// Either of the two, as the running program decides.
fn either(i: int) {
    if i > 0 { return grad(deep)(batch(i)); }
    return grad(apart)(batch(i));
}
fn total(x) {
    var g = grad(deep)(x);
    for i in 0..n {
        if i > 1 { g = grad(apart)(x); } else { g = 0.5 * g + grad(deep)(2.0 * x); }
    }
    return each (p, d) in g => 2.0 * d;
}

main {
    var g = grad(deep)(batch(0));
    for i in 1..n { g = g + grad(deep)(batch(i)); }
    print(sum(g.ws[1]) to B, sum(g.v));
    let whole = g;
    var sum_by_hand = grad(deep)(batch(0)).ws[2];
    for i in 1..n { sum_by_hand = sum_by_hand + grad(deep)(batch(i)).ws[2]; }
    assert_close(whole.ws[2] to B, sum_by_hand to B, rtol = 1e-6);
    for i in 0..n { g = grad(apart)(batch(i)); }
    print(sum(g.ws[0]) to B, sum(g.ws[2]) to B, g.v);
    assert_equal(g.ws[1] to B, ws[0] to B);
    if n > 2 { g = grad(deep)(batch(7)) + g; } else { g = g - grad(deep)(batch(7)); }
    print(sum(g.ws[0] - grad(apart)(batch(2)).ws[0]) to B, g.v);
    var m = each (p, d) in g => 0.0 * d;
    for i in 0..n { m = 0.9 * m + 0.1 * (g / 2.0); }
    print(sum(m.ws[1]) to B, m.v);
    for i in 0..2 { let e = either(i); print(sum(e.ws[0]) to B, e.v); }
    print(sum(total(batch(1)).ws[2]) to B);

    var c = grad(chosen)(one);
    for i in 0..n { c = -c + grad(chosen)(i); if i > 1 { c = 2.0 * c; } }
    print(c);
    for i in 0..n { c = grad(other)(i); }
    print(c, c - grad(chosen)(one), (one + 1.0) * c / sum(ones([2])));
    let (value, tangent) = jvp(norm_of)(grad(other)(2), grad(chosen)(one));
    print(value, tangent);

    var d = grad(product)(0);
    for i in 0..n { d = grad(signed)(i); }
    print(d);
    let by = grad(other)(2);
    pairs -= 0.1 * by;                                     // a list of structs of params beside its part of a gradient, or all of it
    pairs -= 0.2 * by.pairs;
    u += d;
    print(pairs[1], u, ((pairs[0], [pairs[2].b, pairs[1].b]) - by)[1]);
    pairs -= grad(of_one)();                               // and of which the function reads some
    print(pairs[1], pairs[2].b, ((pairs[0], pairs[2]) + grad(of_one)())[0]);
}
fn of_one() { return pairs[1].b * pairs[2].b; }
fn norm_of(g: gradient) { var s = 0.0; each (p, d) in g { s += sum(d * d); } return s; }
