// An int that 64 bits do not hold ends the running program with its line and operands: of the host, and, with the line, of a loop in a function
// that is differentiated. So does a number that is declared of a type whose elements do not hold it. What fits goes through.
//% ranks 1 2
//% fails [--case=1 --k=9223372036854775807] fails_overflow.pml:57:39: error: 9223372036854775807 + 1 does not fit an int (64 bits)
//% fails [--case=2 --k=-9223372036854775807] error: -9223372036854775807 - 2 does not fit an int (64 bits)
//% fails [--case=3 --k=5000000000000000000] error: 5000000000000000000 * 2 does not fit an int (64 bits)
//% fails [--case=4 --k=-9223372036854775808] error: -(-9223372036854775808) does not fit an int (64 bits)
//% fails [--case=5 --k=-9223372036854775808] error: -(-9223372036854775808) does not fit an int (64 bits)
//% fails [--case=6 --k=-9223372036854775808] error: floor_div(-9223372036854775808, -1) does not fit an int (64 bits)
//% fails [--case=7 --k=63] fails_overflow.pml:63:39: error: left_shift(1, 63) does not fit an int (64 bits)
//% fails [--case=8 --k=-1] error: the number as `u64` does not fit an int
//% fails [--case=9 --k=40] fails_overflow.pml:27:69: error: this product does not fit an int (64 bits)
//% fails [--case=10 --k=9223372036854775807] error: this sum does not fit an int (64 bits)
//% fails [--case=11 --k=65] error: this `left_shift` does not fit an int (64 bits)
//% fails [--case=12 --k=-9223372036854775807] error: this difference does not fit an int (64 bits)
//% fails [--case=13 --k=300] error: 300 is beyond what an element of `u8` can be
//% fails [--case=14 --k=70000] error: 40959 is beyond what an element of `i16` can be
//% fails [--case=15 --k=-9223372036854775807] error: this `floor_div` does not fit an int (64 bits)
const N : int = 1;
place p = ranks(0..N);
config case  : int = 0;   // 0: all, which are right with k = 3
config k     : int = 3;
param x : f32[4] @ p : S(0) = ones();

fn powers(n: int) {
    var (s, power) = (0.0, 1);
    for i in 0..n { s = s + sum(x) * (power % 1000) as f32; power = power * 3; }
    return s to B;
}
fn counted(n: int) {
    var (s, at) = (0.0, n);
    for i in 0..min(abs(n), 4) { s = s + sum(x) * (at % 100) as f32; at = at + 1; }
    return s to B;
}
fn counted_down(n: int, by: int) {
    var (s, at) = (0.0, n);
    for i in 0..4 { at = at - by; s = s + sum(x) * (at % 100) as f32; }
    return s to B;
}
fn shifted(n: int) {
    var s = 0.0;
    for i in 0..n { s = s + sum(x) * (left_shift(1, i) % 1000) as f32; }
    return s to B;
}
fn of_bytes(b: u8) { return b + 1; }
fn of_turns(n: int) {
    var s = 0.0;
    for i in 0..n { let j : i16 = i; if i % 8192 == 8191 { s = s + sum(x) * j as f32; } }
    return s to B;
}
fn turned(n: int) {
    var (s, at) = (0.0, n);
    for i in 0..min(abs(n), 4) { at = floor_div(at - i, 1 - 2 * (abs(n) % 2)); s = s + sum(x) * (at % 100) as f32; }
    return s to B;
}
main {
    if case == 0 || case == 1 { print(k + 1); }
    if case == 0 || case == 2 { print(k - 2); }
    if case == 0 || case == 3 { print(k * 2); }
    if case == 0 || case == 4 { print(-k); }
    if case == 0 || case == 5 { print(abs(k)); }
    if case == 0 || case == 6 { print(floor_div(k, bitwise_not(0 * k))); }
    if case == 0 || case == 7 { print(left_shift(1, k), left_shift(0, 70 * k)); }
    if case == 0 || case == 8 { print(k as u64); }
    if case == 0 || case == 9 { print(grad(powers)(k).x to B); }
    if case == 0 || case == 10 { print(grad(counted)(k).x to B); }
    if case == 0 || case == 11 { print(grad(shifted)(k).x to B); }
    if case == 0 || case == 12 { print(grad(counted_down)(k, 1000).x to B); }
    if case == 0 || case == 13 { print(of_bytes(k)); }
    if case == 0 || case == 14 { print(grad(of_turns)(k).x to B); }
    if case == 0 || case == 15 { print(grad(turned)(k).x to B); }
}
