// A `while` of the host that never ends and whose turns leave nothing is ended, and its place told.
//% fails [--timeout=0.05] this loop goes on after
//% fails [--timeout=0.05 --numbers=true] this loop goes on after
//% fails [--timeout=0.05 --elements=true] this loop goes on after
const N : int = 1;
config numbers : bool = false;
config elements : bool = false;
place p = ranks(0..N);
param w : f32[3] @ p = full(0.5);
fn f(x: f32[3] @ p) -> f32 @ p { var h = x * w * 0.001; while sum(h) < 30.0 { h = h * 1.0; assert(h[0] > 0.0); } return sum(h * h); }
// Of a loop of many turns, as code.
fn reached(x: f32[3] @ p) -> f32 @ p { var y = x; for i in 0..20 { while y[i % 3] < 30.0 { y[i % 3] = y[i % 3] * 1.0; } } return sum(y); }
main {
    var turns = 0;
    // These leave something.
    while turns < 3 { turns += 1; print(turns); }
    while sum(w) < 100.0 { w = 2.0 * w; }
    var k = 0;
    if numbers { while k < 10 { k = 2 * k; } }
    if elements { print(reached(w)); }
    print(f(ones([3]) to @p));
}
