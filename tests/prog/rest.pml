// Every row is looked at, whatever the size of a batch, the number of ranks and the order.
//% ranks 1 (2) 3 (4)
import std.data;
const N : int = 1;
place p = ranks(0..N);
config table : path = "examples/data/digits.csv.gz";

main {
    let digits = data.csv(table, columns = [64, 1]) as (f32[_, 64], i32[_]);
    var seen = 0.0;
    var ink = 0.0;
    for (x, t, there) in data.batches(digits, size = 100, rest = true) {
        let w = there to @p : S(0);
        seen += sum(w) to B;
        ink += sum(sum_along(x to @p : S(0)) * w) to B;
    }
    print(seen, ink);
    for (x, t, there) in data.batches(digits[0..10], size = 4, shuffle = rng(3), rest = true) { print(t to @p : S(0) to B, there to @p : S(0) to B); }
    for (x, t, there) in data.batches(digits[0..3], size = 4, steps = 3, rest = true) { print(t to @p : B, there to @p : S(0) to B); }
    for (x, t, there) in data.batches(digits[3..3], size = 4, rest = true) { print("none"); }
    for (x, t, there) in data.batches(digits[0..8], size = 4, rest = true) { print(there to @p); }
    // rows of one dataset behind others of it: a part left out, a part of that, in another order, twice, shuffled
    let left = data.concat(digits[0..3], digits[5..9]);
    print(data.rows(left), data.rows(data.concat(left[1..5], digits[0..2])), data.rows(data.concat(digits[0..0], digits[0..1])));
    for (x, t) in data.batches(left, size = 7) { print(t); }
    for (x, t) in data.batches(digits[0..9], size = 9) { print(t); }
    for (x, t, there) in data.batches(data.concat(data.concat(left[2..6], digits[0..2]), left[6..7]), size = 4, rest = true) { print(t to @p : S(0) to B, there); }
    for (x, t) in data.batches(data.concat(left, left[1..7]), size = 13, shuffle = rng(2)) { print(t to @p : S(0) to B); }
    for (x, t, y, s) in data.batches(data.join(left, left), size = 7) { print(sum(abs(x - y)), all(t == s)); }
}
