// Tests that fail, each in its own way, among some that do not: for failing.sh.
import std.data;
place all  = ranks(0..4);
place grid = ranks(0..4) as (dp = 2, tp = 2);
param w : f32[5, 3] @ all : S(0) = normal(std = 0.1);

fn table() { return reshape(iota(12), [4, 3]) as f32; }

test "host values" { var n = 3; for i in 0..5000 { n += i; } assert(n == 4); }
test "two conditions" { var n = 3; for i in 0..5000 { n += i; } assert(n > 0 && n < 4); }
test "passes" { assert_equal(1.0 + 1.0, 2.0); }
test "a scalar" { assert_equal(sum(ones([2])), 5.0); }
test "close" { let x = table() to @all : S(0); assert_close(x, where(x > 4.0, x * 1.5, x), rtol = 0.0, atol = 0.25); }
test "a message" { assert(all((table() to @all : S(1)) < 10.0) to B, "too large"); }
test "ints" { let x = table() as i32 to @all : S(1); assert_equal(x, x % 7); }
test "a mesh" {
    let x = table() to @grid : (dp=S(0), tp=S(1));
    let y = [1.0, 4.0, 20.0] as f32 to @grid : (tp=S(0));
    assert(x < y);
}
test "bools" { let x = table() to @all : S(0); let c = is_finite(x / (x - 2.0)); assert(c); }
test "both" { let x = table() to @all : S(0); assert(all(x >= 0.0 && x - 1.0 < 9.5 && is_finite(x)) to B); }
test "texts" { var s = "a"; assert("ab" == s + "c"); }
test "shapes" { assert_equal(shape(w), [5, 4]); assert(false); }
test "floats" { assert_close(sqrt(2.0), 1.41); }
test "infinities are equal, nans not" { let x = ones([3]) / 0.0; assert_close(x, x); assert_close(x - x, x); }
test "in a loop over batches" {
    let d = data.bytes("failing.pml") as u8[_];
    for (x) in data.batches(d, size = 5) { print(sum(x as i32)); assert(sum(x as i32) < 0); }
}
test "ends the job" {
    let d = data.bytes("nowhere") as u8[_];
    for (x) in data.batches(d, size = 5) { print(sum(x as i32)); }
}
test "divides" { var n = 0; for i in 0..5000 { n += 1; } assert(floor_div(1, n - 5000) == 1); }
test "passes, too" { assert((mean(w) to B) < 1.0); }
