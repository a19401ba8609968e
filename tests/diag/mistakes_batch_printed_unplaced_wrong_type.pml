import std.data;
main { let d = data.csv("a", [2, 1]) as (f32[_, 2], i32[_]); for (x, t) in data.batches(d, size = 2) { print(x + t); } }  //~ PML0202@114
