// A pass over a table; the sum of a column of it.
import std.data;
const N : int = 4;
place p = ranks(0..N);
config file     : path = "table.csv";
config shuffled : bool = false;    /// some of the rows, in an order that is drawn

main {
    let d = data.csv(file, columns = [1, 8], heading = false) as (i32[_], f32[_, 8]);
    var total = 0.0;
    if shuffled {
        for (t, x) in data.batches(d, size = 500, shuffle = rng(1), steps = 100) { total += sum(x to @p : S(0)) to B; }
    } else {
        for (t, x) in data.batches(d, size = 500) { total += sum(x to @p : S(0)) to B; }
    }
    print("total", total);
}
