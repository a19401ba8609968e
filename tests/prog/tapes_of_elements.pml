// Gradients of loops over elements whose turns only the program counts, and which are code with their tapes: as those of loops of known turns, of none, of more
// than the time before, of a loop in the turns of another, and of arms in the turns.
//% ranks 1 (2)
//% also --loops=unrolled
//% also -O0
const N : int = 1;
const SIZE : int = 40;
const M : int = 7;
config n : int = 40;
config m : int = 7;
place p = ranks(0..N);
fn ramp(size: int, a: int) { return ((iota(size) * a % 11) as f64 - 5.0) * 0.1; }

fn known(x) { var s = 0.3; for i in 0..SIZE { s = s * x[i] + x[i] * x[i] - s; } return s; }
fn counted(x, n: int) { var s = 0.3; for i in 0..n { s = s * x[i] + x[i] * x[i] - s; } return s; }

fn known_pairs(x, y) {
    var s = 0.3;
    for i in 0..SIZE { s += y[i % M] * y[i % M]; for j in 0..M { s = 0.9 * s * x[i] + y[j] * x[(i + j) % SIZE]; } }
    return s;
}
fn counted_pairs(x, y, n: int, m: int) {
    var s = 0.3;
    for i in 0..n { s += y[i % M] * y[i % M]; for j in 0..m { s = 0.9 * s * x[i] + y[j] * x[(i + j) % SIZE]; } }
    return s;
}

fn known_arms(x) { var s = 0.3; for i in 0..SIZE { if s > 0.2 { s = 0.5 * s * x[i]; } else { s = s + x[SIZE - 1 - i] * x[i]; } } return s; }
fn counted_arms(x, n: int) { var s = 0.3; for i in 0..n { if s > 0.2 { s = 0.5 * s * x[i]; } else { s = s + x[SIZE - 1 - i] * x[i]; } } return s; }

fn apart(a, b) { return max(abs(a - b)) < 1e-14; }

main {
    let (x, y) = (ramp(SIZE, 7) to @p, ramp(M, 5) to @p);
    let (a, g) = value_and_grad(known)(x);
    for turns in 0..3 {
        let (b, h) = value_and_grad(counted, wrt = "x")(x, floor_div(n * turns, 2));
        if turns == 0 { assert(b == 0.3 && max(abs(h)) == 0.0, "no turn"); }
        if turns == 1 { assert(max(abs(h[SIZE / 2..])) == 0.0 && max(abs(h[..SIZE / 2])) > 0.0, "half of the turns"); }
        if turns == 2 { assert(b == a && apart(g, h), "turns that are counted"); }
    }
    let (c, (gx, gy)) = value_and_grad(known_pairs)(x, y);
    for again in 0..2 {
        let (d, (hx, hy)) = value_and_grad(counted_pairs, wrt = ("x", "y"))(x, y, n, m);
        assert(c == d && apart(gx, hx) && apart(gy, hy), "turns in turns");
    }
    let (e, ga) = value_and_grad(known_arms)(x);
    let (f, ha) = value_and_grad(counted_arms, wrt = "x")(x, n);
    assert(e == f && apart(ga, ha), "arms");
    print(a, c, e, sum(g), sum(gx), sum(gy), sum(ga));
}
