// Derivatives that are the same number in each turn of a loop in another, which has nothing of its own to compute: they are added up line by line.
//% ranks 1 2 (3)
//% also --loops=unrolled
const N : int = 1;
const L : int = 5;
place p = ranks(0..N);
param w : [L] f64[2] @ p = ones();
param u : f64[L, 4] @ p : S(1) = ones();
fn both() {
    var s = zeros([2], f64) to @p;
    for i in 0..L { for j in 0..L { s = s + 3.0 * w[j]; } s = s + 3.0 * w[i]; }
    return sum(s);
}
fn inner() {
    var s = zeros([2], f64) to @p;
    for i in 0..L { for j in 0..L { s = s + 3.0 * w[j]; } s = s + w[i] * w[i]; }
    return sum(s);
}
fn outer() {
    var s = zeros([2], f64) to @p;
    for i in 0..L { for j in 0..L { s = s + w[j] * w[j]; } s = s + 3.0 * w[i]; }
    return sum(s);
}
fn of_lines() {
    var s = zeros([4], f64) to @p : S(0);
    for i in 0..L { for j in 0..L { s = s + 2.0 * u[j]; } for j in 0..L { s = s - 0.5 * u[L - 1 - j] * i; } }
    return sum(s) to B;
}
main {
    let (a, b, c) = (grad(both)(), grad(inner)(), grad(outer)());
    print(a.w[0], a.w[L - 1], b.w[0], b.w[L - 1], c.w[0], c.w[L - 1]);
    print(grad(of_lines)().u to B);
}
