// Rows that come through a pipe: one at a time, then some at a time to the end, with codes and names of a file.
//% ranks 1 (2) 3 (4)
//% stdin tests/prog/tables/queries.csv
import std.data;
const N : int = 1;
place p = ranks(0..N);

main {
    let people = data.csv("tests/prog/tables/people.csv", columns = ["sex", "class"], text = ["sex", "class"]) as (i32[_], i32[_]);
    let queries = data.csv("/dev/stdin", columns = [["age", "fare"], "class"], text = ["class"], codes = people, unknown = -1, missing = -2) as (f32[_, 2], i32[_]);
    var n = 0;
    for (x, c) in data.batches(queries, size = 1, steps = 2) { n += 1; print(n, x to @p, c to @p : S(0) to B); }
    for (x, c, there) in data.batches(queries, size = 3, rest = true) { print(x to @p : S(0) to B, c to @p : B, there to @p : S(0) to B); }
    for (x, c) in data.batches(queries, size = 1) { print("nothing is left"); }
    print("end");
}
