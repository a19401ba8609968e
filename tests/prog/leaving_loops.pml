// break and continue in all loops, decided when compiling and by the running program, in functions and in what is differentiated.
//% ranks 1 2 (3 4)
//% args --n=10 --k=4
import std.data;

const N : int = 1;
config n : int = 1;
config k : int = 1;
place p = ranks(0..N);
param w : f32[3] @ p = ones();

fn first_power(limit: int) { var x = 1; for i in 0..40 { if x * 2 > limit + k - 4 { break; } x = x * 2; } return x; }
fn odd(limit: int) { var s = 0; for i in 0..limit { if i % 2 == 0 { continue; } s = s + i; } return s; }
fn small(x) { var y = x; for i in 0..20 { if sum(y) < 1.0 { break; } y = 0.5 * y; if i == 0 { continue; } y = y - 0.1; } return y; }
fn known(x: f32[3] @ p) { var y = x; for i in 0..10 { if i == 1 { continue; } if i == 3 { break; } y = y * x; } return sum(y * w); }

main {
    for i in 0..n { if i == 2 { continue; } if i == k { break; } print("for", i); }
    var j = 0;
    while j < n { j = j + 1; if j % 2 == 0 { continue; } if j > 6 { break; } print("while", j); }
    while true { j = j + 1; if j > 20 { break; } }
    print("while", j);
    for i in 0..3 { for m in 0..3 { if m > i { break; } if i == 1 { continue; } print("nested", i, m); } if i == k { break; } }
    for s in [3, 4, 5] { if s == k { break; } print("list", s); }
    for s in [3, 4, 5] { if s == 4 { continue; } print("list", s); }
    for i in 0..n { every 3 { continue; } print("every", i); }
    for i in 0..n { if i < 2 { print("if", i); } else if i < 4 { continue; } else { break; } print("after", i); }
    for i in 0..n { print("once", i); break; }
    print(first_power(100), odd(10));
    let x = [1.0, 2.0, 3.0] as f32 to @p;
    print(known(x), grad(known, wrt = "x")(x), small(x));
    var y = x;
    for i in 0..n { y = y * 2.0; if sum(y) > 50.0 { break; } y = y - 0.5; }
    print(y);
    let digits = data.csv("examples/data/digits.csv.gz", columns = [64, 1]) as (u8[_, 64], i32[_]);
    var batches = 0;
    for epoch in 0..2 {
        for (r, t) in data.batches(digits[0..20], size = 4) {
            batches = batches + 1;
            if batches % 3 == 0 { continue; }
            if batches > 7 { break; }
            print("batch", epoch, batches, sum(t to @p : B));
        }
    }
}
