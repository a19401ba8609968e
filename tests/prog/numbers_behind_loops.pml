//% ranks (1) 2 (3) 4
//% also --loops=unrolled
// numbers that the turns of a loop hand on: known behind it where they follow from numbers alone, else the host reads them
const N : int = 1;
place p = ranks(0..N);
state x : f64[100] @ p = zeros();

// counters that are known behind the loop
fn packed(n: int) {
    var at = 0;
    var y = zeros([n * (n + 1) / 2], dtype = f64);
    for i in 0..n { for j in 0..i + 1 { y[at] = (i * 100 + j) as f64; at += 1; } }
    return (y, zeros([at]), at);
}
fn steps(n: int) {
    var (t, k, even) = (0.0, 0, true);
    for i in 0..n { t += 0.1; if i % 3 == 0 { k += 2; } even = !even; }
    let m = if even => k else 1;
    return (t, zeros([m]), k);
}
fn pure_break(n: int) {
    var k = 0;
    for i in 0..n { if i * i > 50 { break; } k = i; }
    return k;
}
// what only the program knows
fn least(x: f64[100] @ p) {
    var m = 0;
    for k in 1..100 { if x[k] < x[m] { m = k; } }
    return m;
}
fn first_above(x: f64[100] @ p, v) {
    var at = -1;
    for k in 0..100 { if x[k] > v { at = k; break; } }
    return at;
}
fn count(x: f64[100] @ p) {
    var (n, s, f) = (0, 0.0, 1.0);
    for k in 0..100 { if x[k] > 0.5 { n += 1; s = s + x[k]; f *= 1.5; } }
    return (n, s, f);
}
fn find(x: f64[100] @ p, v) {
    for k in 0..100 { if x[k] > v { return k; } }
    return -1;
}
fn listed(n: int) {
    let ks = [3, 1, 2];
    var s = 0;
    for i in 0..n { s += ks[i % 3]; }
    return zeros([s]);
}
// a sum of elements that begins with a number, and one in a turn of another loop
fn dot(x: f64[100] @ p) { var s = 0.0; for k in 0..100 { s += x[k] * x[k]; } return s; }
fn rows(x: f64[100] @ p) {
    var y = zeros([10], dtype = f64);
    for i in 0..10 { var (n, lw) = (0, 10 * i); for k in 0..10 { if x[lw] < 0.0 { n += 1; } lw += 1; } y[i] = n as f64; }
    return y;
}
// of the number of elements below a threshold, that of a differentiated function too
fn weighed(x: f64[100] @ p) { var (n, s) = (1, 0.0); for k in 0..100 { if x[k] > 0.5 { n += 1; } s += x[k] * x[k] / (n as f64); } return s / (n as f64); }

main {
    x = sin(0.37 * (iota(100) as f64)) to @p;
    let (y, z1, at) = packed(6);
    print(sum(y), z1.shape, at);
    let (t, z2, k) = steps(50);
    print(t, z2.shape, k);
    print(pure_break(30), listed(9).shape);
    let m = least(x);
    print(m, argmin(x), x[m]);
    if m > 3 { print("far", m + 1); }
    print(first_above(x, 0.99), first_above(x, 2.0), find(x, 0.99), find(x, 3.0));
    let (n, s, f) = count(x);
    print(n, s, f, n + 1, zeros([3]) + f);
    for q in 0..n { if q == n - 1 { print("last", q); } }
    print(dot(x), rows(x), sum(grad(weighed)(x)), weighed(x));
}
