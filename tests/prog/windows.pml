// Overlapping pieces of text; batches by number, in pass after pass. Values by hand and against one another.
//% ranks 1 3 (2 4)
import std.data;
const N : int = 1;
place p = ranks(0..N);
config file : path = "examples/data/README.md";

main {
    let all = data.bytes(file) as u8[_];
    let pieces = data.windows(file) as u8[_, 5];
    let apart = data.windows(file, stride = 3) as u8[_, 5];
    print(data.rows(all) - data.rows(pieces), floor_div(data.rows(all) - 5, 3) + 1 - data.rows(apart));
    var overlap = 0;
    for (x) in data.batches(pieces[0..12], size = 4) {
        let y = x as i32 to @p : S(1);
        overlap += sum(((y to B)[0..3, 1..5] != (y to B)[1..4, 0..4]) as i32);
    }
    print("differing", overlap);
    for x in data.batches(apart[0..4], size = 2) { print(x to @p); }
    // Ten rows in batches of three are three a pass: numbers 2 to 6 are the last of the first pass, the second, one of the third.
    var number = 2;
    for x in data.batches(all[0..10], size = 3, shuffle = rng(1), first = 2, steps = 7) { print(number, x to @p); number += 1; }
    number = 0;
    for x in data.batches(all[0..10], size = 3, shuffle = rng(1), steps = 7) { if number >= 2 { print(number, x to @p); } number += 1; }
    for x in data.batches(all[0..10], size = 3, shuffle = rng(1)) { print("one pass", x to @p); }
    for x in data.batches(all[0..10], size = 3, first = 2) { print("in order", x to @p); }
    for x in data.batches(all[0..10], size = 3, first = 9, steps = 7) { print("none", x to @p); }
}
