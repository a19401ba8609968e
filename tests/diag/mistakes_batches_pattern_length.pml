import std.data;
main { let d = data.csv("a", [1]) as (f32[_]); for (x, t) in data.batches(d, size = 2) { print(1); } }  //~ PML0217@52
