// Rows that a dataset does not have.
//% fails rows 1790..1800 of a dataset of 1797 rows
import std.data;
place p = ranks(0..2);
main { let d = data.csv("examples/data/digits.csv.gz", columns = [65]) as f32[_, 65]; for x in data.batches(d[1790..1800], size = 2) { print(sum(x to @p : S(0)) to B); } }
