// What a loop of a graph carries is not asked to fit an int where it surely does, and is where it may not; elements of tensors wrap, so that an index that
// they give is looked at.
//% ranks 1 2
//% fails [--case=1 --n=70] does not fit an int (64 bits)
//% fails [--case=2 --n=3 --k=9223372036854775806] does not fit an int (64 bits)
//% fails [--case=3 --n=40] index -2147483648 is out of range
const N : int = 1;
place p = ranks(0..N);
config case : int = 0;
config n : int = 6;
config k : int = 5;
param x : f32[4] @ p : S(0) = ones();

fn hashed(n: int) {                      // small, whatever it was
    var (s, h) = (0.0, 7);
    for i in 0..n { h = (h * 31 + i) % 1000003; s = s + sum(x) * (h % 100) as f32; }
    return s to B;
}
fn counted(n: int, by: int) {            // grows by small numbers
    var (s, a, b) = (0.0, 0, 10);
    for i in 0..n {
        a = if i % 2 == 0 => a + 3 else a - 1;
        for j in 0..2 { b = b + j; }
        s = s + sum(x) * (a + b) as f32;
    }
    return s to B;
}
fn added(n: int, k: int) {               // begins anywhere
    var (s, a) = (0.0, k);
    for i in 0..n { a = a + 1; s = s + sum(x) * (a % 10) as f32; }
    return s to B;
}
fn doubled(n: int) {
    var (s, a) = (0.0, 1);
    for i in 0..n { a = a * 2; s = s + sum(x) * (a % 10) as f32; }
    return s to B;
}
fn wrapped(n: int, table: f32[8] @ p) {  // of i32, which wraps
    var (s, a) = (0.0, full(0, [], dtype = i32) to @p);
    for i in 0..n { a = a + 268435456; s = s + sum(x) * table[if i > 6 => a else a * 0]; }
    return s to B;
}
fn chosen(n: int, k: int, zero: int) {   // what is not chosen ends nothing
    var (s, a, q) = (0.0, 9223372036854775805 + 0 * k, 0);
    for i in 0..n {
        a = if a < 9223372036854775807 => a + 1 else a;
        let m = if zero != 0 => floor_div(7 + i, zero) + k % zero else 5;
        if zero * i != 0 && 8 % (zero * i) == 0 || a - 9223372036854775800 + i < 0 { q = q + 1; }
        let c = if i < 0 => of_i8(i - 200) + left_shift(i - 100, 62) else 1;
        s = s + sum(x) * (a % 7 + m + q + c) as f32;
    }
    return s to B;
}
fn of_i8(k: i8) { return k; }
main {
    print(grad(chosen)(n, k, case * 0).x to B);
    print(grad(hashed)(n).x to B, grad(counted)(n, k).x to B);
    if case == 0 || case == 1 { print(grad(doubled)(n).x to B); }
    if case == 0 || case == 2 { print(grad(added)(n, k).x to B); }
    if case == 0 || case == 3 { print(grad(wrapped)(n, iota(8) as f32 to @p).x to B); }
}
