// An int of the running program that goes beyond the elements it meets ends it, as one that is known when compiling is an error: in arithmetic, filled in,
// assigned, moved, given to an op, counted by a loop of a function. What fits goes through, what `as` converts, and what stands in a branch that is not taken.
//% ranks 1 2
//% fails [--case=1 --k=128] fails_numbers.pml:28:44: error: 128 is beyond what an element of `i8` can be
//% fails [--case=1 --k=-129] error: -129 is beyond what an element of `i8` can be
//% fails [--case=2 --k=-1] error: -1 is beyond what an element of `u8` can be
//% fails [--case=2 --k=256] error: 256 is beyond what an element of `u8` can be
//% fails [--case=3 --k=3000000000] error: 3000000000 is beyond what an element of `i32` can be
//% fails [--case=4 --k=3000000000] error: 3000000000 is beyond what an element of `i32` can be
//% fails [--case=5 --k=3000000000] error: 3000000000 is beyond what an element of `i32` can be
//% fails [--case=6 --k=-1] error: -1 is beyond what an element of `u64` can be
//% fails [--case=7 --k=127] error: 128 is beyond what an element of `i8` can be
const N : int = 1;
place p = ranks(0..N);
config case : int = 0;   // 0: all, which are right with k = 100
config k    : int = 100;
state a : i8[4] @ p : S(0) = zeros();
state b : u8[4] @ p : S(0) = zeros();
param x : f32[4] @ p : S(0) = ones();
op more(a[..]: int, by[]: int) -> [..] = a + by;

fn counted(x: f32[4] @ p : S(0), n: i8[4] @ p : S(0)) -> f32 @ p : B {
    var total = sum(x);
    for i in 0..k + 2 { if i > 100 { total = total + sum(((n + i) as f32) * x); } }
    return total to B;
}
main {
    if case == 0 || case == 1 { print((a + k) to B); }
    if case == 0 || case == 2 { b = more(b, k); print(b to B); }
    if case == 0 || case == 3 { print(full(k, [2], i32)); }
    if case == 0 || case == 4 { print(k to @p); }
    if case == 0 || case == 5 { let y[i] = (a[i] as i32) * 0 + k; print(y to B); }
    if case == 0 || case == 6 { print(full(k, [1], u64), (k - 1000) as u8); }
    if case == 0 || case == 7 { print(grad(counted, wrt = 0)(x, a) to B); }
}
