// A file without its first line, among others that have theirs.
//% fails `tests/prog/tables/edges/empty.csv` is empty: its first line would name the columns
import std.data;
main {
    let d = data.csv(["examples/data/trees.csv", "tests/prog/tables/edges/empty.csv"], ["height"], missing = 0) as f32[_];
    print(data.rows(d));
}
