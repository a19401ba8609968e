// The right side of `&&` and `||` and the arms of a choice ask nothing of ints where they do not count: indices that a condition keeps within,
// in loops of the host, of functions and of elements, of numbers and of elements, behind calls, under derivatives and for each line.
//% ranks 1 (2)
//% also --loops=unrolled
//% also --target-cpu=x86-64-v3
const SIZE : int = 9;
const N : int = 1;
place all = ranks(0..N);
config n : int = 9;
state x : f64[SIZE] @ all = ((iota(SIZE) * 5 + 3) % 11) as f64 - 2.0;
state next : i64[SIZE] @ all = iota(SIZE) * 2;
state d : i64[SIZE] @ all = iota(SIZE) % 3;

fn positive(x: f64[SIZE]) {
    var k = 0;
    while k < SIZE && x[k] > -10.0 { k += 1; }
    return k;
}
fn above(x: f64[SIZE], k: int) { return x[k] > 0.0; }
fn called(x: f64[SIZE]) {
    var k = 0;
    while k < SIZE && (x[k] > 100.0 || above(x, k) || x[k] < 50.0) { k += 1; }
    return k;
}
fn neighbours(x: f64[SIZE]) {
    var c = 0;
    for i in 0..SIZE { if i + 1 < SIZE && x[i + 1] > x[i] { c += 1; } }
    for i in 0..SIZE { if i + 3 >= SIZE || x[i + 3] > x[i] { c += 100; } }
    for i in 0..SIZE { if !(i + 2 < SIZE && x[i + 2] > 0.0) || i == 0 { c += 10000; } }
    return c;
}
fn neighbours_at_run_time(x: f64[SIZE], n: int) {
    var c = 0;
    for i in 0..n { if i + 1 < n && x[i + 1] > x[i] { c += 1; } }
    for i in 0..n { if i + 3 >= n || x[i + 3] > x[i] { c += 100; } }
    for i in 0..n { if !(i + 2 < n && x[i + 2] > 0.0) || i == 0 { c += 10000; } }
    return c;
}
fn followed(x: f64[SIZE], next: i64[SIZE]) {
    var y = zeros([SIZE], dtype = f64);
    for i in 0..SIZE {
        let j = next[i];
        if j < SIZE && x[j] > 0.0 { y[i] = x[j]; }
        else if j >= SIZE && j < 2 * SIZE && x[j - SIZE] > 0.0 { y[i] = -x[j - SIZE]; }
    }
    return y;
}
fn divided(d: i64[SIZE]) {
    var c = 0;
    for i in 0..SIZE { if d[i] != 0 && 12 % d[i] == 0 { c += 1; } }
    return c;
}
fn shifted(x: f64[SIZE], by: int) {
    var y = zeros([SIZE], dtype = f64);
    for i in 0..SIZE { y[i] = if i + by < SIZE => x[i + by] else if i > 0 => y[i - 1] else 0.5; }
    return y;
}
fn pairs(x: f64[SIZE]) {
    var s = 0.0 as f64;
    for i in 0..SIZE { s += if i + 1 < SIZE => x[i] * x[i + 1] else x[i]; }
    return s;
}
fn taken(k: i64[], x: f64[SIZE]) { return if k >= SIZE => -1.0 else x[k]; }

main {
    var k = 0;
    while k < n && x[k] > -10.0 { k += 1; }
    print(k, positive(x), called(x));
    print(neighbours(x), neighbours_at_run_time(x, n));
    print(followed(x, next));
    print(divided(d), if k < SIZE => x[k] else -1.0, x[0] > 100.0 && x[k] > 0.0, x[0] < 100.0 || x[k] > 0.0);
    print(shifted(x, n - 5));
    let (s, g) = value_and_grad(pairs, wrt = "x")(x);
    print(s, g);
    print(vmap(taken, over = "k")(iota(12) * 2 - 6, x));
}
