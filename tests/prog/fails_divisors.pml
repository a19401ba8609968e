// An element of a divisor that is 0 ends the program, whatever is divided, however it is laid out; one that is not read does not.
//% ranks 1 4 (2 3)
//% fails [--case=1 --k=0] fails_divisors.pml:49:43: error: division by zero: an element of `b` is 0
//% fails [--case=1 --k=0] note: it is element [4] of the divisor
//% fails [--case=2 --k=0] fails_divisors.pml:50:39: error: division by zero: an element of `b` is 0
//% fails [--case=3 --k=0] fails_divisors.pml:51:43: error: division by zero: the divisor is 0
//% fails [--case=4 --k=0] fails_divisors.pml:52:39: error: division by zero: the divisor is 0
//% fails [--case=5 --k=-1] fails_divisors.pml:53:44: error: division by zero: an element of the divisor is 0
//% fails [--case=6 --k=0] fails_divisors.pml:54:48: error: division by zero: an element of `b` is 0
//% fails [--case=7 --k=0] fails_divisors.pml:25:89: error: division by zero: an element of `m` is 0
//% fails [--case=8 --k=0] fails_divisors.pml:56:94: error: division by zero: an element of the divisor is 0
//% fails [--case=8 --k=0] note: it is element [1, 2] of the divisor
//% fails [--case=9 --k=0] fails_divisors.pml:23:76: error: division by zero: an element of the divisor is 0
//% fails [--case=10 --k=0] fails_divisors.pml:41:23: error: division by zero: the divisor is 0
//% fails [--case=11 --k=0] fails_divisors.pml:33:23: error: division by zero: an element of `n` is 0
//% fails [--case=12 --k=0] note: it is element [1] of the divisor, from `examples/data/digits.csv.gz` line 11
import std.data;
const N : int = 1;
place p = ranks(0..N);
config case : int = 0;   // 0: all, which are right with k = 1
config k    : int = 1;
op ratio(c[..]: int, d[..]: int) -> [..] = floor_div(c, d);
op around(c[i]: int, d[n]: int, w[j]: int) -> [i] = sum[j] w[j] * (c[i] % (d[i + j - 1] * w[j]));

fn scaled[n](x: f32[n] @ p : B, m: i32[n] @ p : B) -> f32 @ p : B { return sum(x * (7 % m) as f32); }

state b : i32[6] @ p : S(0) = full(1);
param x : f32[6] @ p : B = iota(6) as f32;

fn steps(a: i32[6] @ p : S(0), n: i32[6] @ p : S(0)) -> i32[6] @ p : S(0) {
    var h = a;
    for i in 0..3 {
        h = (h + 7) % n;
    }
    return h;
}

fn turns(a: i32[6] @ p : S(0)) -> i32[6] @ p : S(0) {
    var h = a;
    for i in 0..3 {
        h = (h + 7) % (i + k) as i32;
    }
    return h;
}

main {
    let a = iota(6) as i32 to @p : S(0);
    b[4] = k as i32;
    if case == 0 || case == 1 { print(a % b to B); }
    if case == 0 || case == 2 { print(floor_div(a, b) to B); }
    if case == 0 || case == 3 { print(a % k to B); }
    if case == 0 || case == 4 { print(floor_div(7, b[4] to B)); }
    if case == 0 || case == 5 { print(a % (b + 1) to B, a % (b * b + 1) to B); }
    if case == 0 || case == 6 { print(ratio(a, b) to B); }
    if case == 0 || case == 7 { let g = grad(scaled)(x, b to B); print(g.x to B); }
    if case == 0 || case == 8 { let c = a to B; let d = b to B; let q[i, j] = d[j] as i64 % (c[i] as i64 + j * 2 - 5 + 20 * k); print(q); }
    if case == 0 || case == 9 { print(around(a to B, b to B, [1, 2, 1] as i32)); }
    if case == 0 || case == 10 { print(turns(a) to B); }
    if case == 0 || case == 11 { print(steps(a, b) to B); }
    if case == 0 || case == 12 {
        let d = data.csv("examples/data/digits.csv.gz", [64, 1]) as (f32[_, 64], i32[_]);
        for (f, y) in data.batches(d[1..9 + 4 - 4 * k], size = 4) { print(7 % (y to @p : S(0)) to B); }
    }
}
