// Loops over batches in each other, one after the other and by turns: a batch stays as it is while its turn lasts, whatever is read
// ahead meanwhile. The ends of passes, parts that are read in some turns only, layouts side by side. Values: expected.py (numpy).
//% ranks 1 (2) 4
import std.data;
const N : int = 1;
place p = ranks(0..N);
config table : path = "examples/data/digits.csv.gz";

/// A number that every element and its place change.
fn digest[n, k](x: i64[n, k] @ p : S(0)) { return sum((sum_along(x * (iota(k) + 3)) * (iota(n) + 1)) to B); }
fn digest_labels[n](t: i64[n] @ p : S(0)) { return sum((t * (iota(n) + 1)) to B); }

main {
    let digits = data.csv(table, columns = [64, 1]) as (u8[_, 64], i32[_]);
    // In each other: the outer batch is read again when the inner loop is over, in two layouts.
    for (x, t) in data.batches(digits[0..50], size = 20) {
        print("outer", digest(x as i64 to @p : S(0)));
        for (y, u) in data.batches(digits[60..90], size = 7, steps = 6) {
            print("inner", digest(y as i64 to @p : S(0)), sum(t to @p : B));
        }
        print("again", digest(x as i64 to @p : S(0)), sum(x as i64 to @p : S(1)) to B, digest_labels(t as i64 to @p : S(0)));
    }
    // What was read in the turn before is kept by the program, not by the loop.
    var before = zeros([5, 64], i64) to @p : S(0);
    for (x, t) in data.batches(digits[100..130], size = 5) {
        let now = x as i64 to @p : S(0);
        print("difference", digest(now - before));
        before = now;
    }
    // One after the other and again: passes end within the loop, each shuffled anew; all rows but what is left over are seen once a pass.
    var all = 0;
    for epoch in 0..3 {
        var n = 0;
        for (x, t) in data.batches(digits[0..12], size = 4, shuffle = rng(epoch), steps = 9) {
            all += sum(t to @p : S(0)) to B;
            n += 1;
            if n % 3 == 0 { print("pass", epoch, all); }
        }
        for (x, t) in data.batches(digits[3..17], size = 13) { print("one", digest(x as i64 to @p : S(0))); }
    }
    // Read in one turn of three, in another layout in the others, in none at all.
    var turn = 0;
    for (x, t) in data.batches(digits[200..290], size = 10) {
        if turn % 3 == 0 {
            print("third", digest(x as i64 to @p : S(0)));
        } else {
            if turn % 3 == 1 { print("columns", sum(x as i64 to @p : S(1)) to B); }
        }
        turn += 1;
    }
}
