// What a `to` ends in a loop is computed for all turns at once where a gradient keeps it (simplify/turns.c), the `to` in each turn still: rows by index,
// and what is read around shards.
//% ranks 1 2 (3)
//% rtol 1e-10
//% also --verify-each
const N : int = 1;
place all = ranks(0..N);
param t : f64[11, 4] @ all : S(0) = reshape((iota(44) % 7) as f64 - 3.0, [11, 4]) / 3.0;
param u : f64[6, 8] @ all : S(1) = reshape((iota(48) % 7) as f64 - 3.0, [6, 8]) / 3.0;

fn rows(i) {
    var s = 0.1 * ones([4]) as f64 to @all;
    for n in 0..6 { s = s + (exp(t[i[n]]) to B) + (gelu(t[i[n]]) * 2.0 + cos(s) to B); }
    return sum(s * s);
}
fn rows_of(i) {
    var s = 0.1 * ones([4]) as f64 to @all;
    for n in 0..6 { s = s + 0.1 * (exp(t[i[n]] * s) to B); }
    return sum(s * s);
}
fn windows() {
    var s = 0.1 * ones([6]) as f64 to @all : S(0);
    for n in 0..6 { s = s + (exp(u[n][1..7] * u[n][0..6] * u[n][0..6]) * 0.5 to S(0)); }
    return sum(s * s) to B;
}

main {
    let i = [10, 0, 3, 3, 7, 5] as i32 to @all;
    let (a, g) = value_and_grad(rows)(i);
    let (b, h) = value_and_grad(rows_of)(i);
    let (c, k) = value_and_grad(windows)();
    print(a, sum(g.t * t) to B, sum(g.t) to B);
    print(b, sum(h.t * t) to B, sum(h.t) to B);
    print(c, sum(k.u * u) to B, sum(k.u) to B);
}
