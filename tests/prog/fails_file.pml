// A file that does not exist is named once.
//% fails no/such/file.csv
import std.data;
place p = ranks(0..3);
main { let d = data.csv("/no/such/file.csv", columns = [2]) as f32[_, 2]; for x in data.batches(d, size = 2) { print(sum(x to @p : S(0)) to B); } }
