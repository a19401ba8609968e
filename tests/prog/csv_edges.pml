// What RFC 4180 and readers of tables agree on: a byte order mark, quotes around numbers, separators and ends of lines within quotes, doubled
// quotes, blanks that count only there, empty lines and texts, \r\n and \n in one file, a separator at the end of lines, a last line without an end.
//% ranks 1 3 (2 4)
import std.data;
const N : int = 1;
place p = ranks(0..N);
config folder : path = "tests/prog/tables/edges";

main {
    let quoted = data.csv(folder / "quoted.csv", columns = ["n", "the \"text\""], text = ["the \"text\""]) as (f32[_], i32[_]);
    print(data.rows(quoted), data.texts(quoted, "the \"text\""));
    for (n, t) in data.batches(quoted, size = 6) { print(n to @p : S(0) to B, t to @p); }
    for code in 0..data.texts(quoted, "the \"text\"") { print("[" + data.text(quoted, "the \"text\"", code) + "]"); }
    let trailing = data.csv(folder / "trailing.csv", columns = [[0, 1]], heading = false) as i32[_, 2];
    for x in data.batches(trailing, size = 3) { print(x to @p); }
    let numbers = data.csv(folder / "numbers.csv", columns = [3]) as f64[_, 3];
    for x in data.batches(numbers, size = 1) { print(x to @p); }
    let tabs = data.csv(folder / "tabs.tsv", columns = ["a", "b"], text = ["b"], separator = "\t") as (i64[_], i32[_]);
    for (a, b) in data.batches(tabs, size = 2) { print(a to @p, b to @p, data.text(tabs, "b", 1)); }
}
