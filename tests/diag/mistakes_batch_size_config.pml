import std.data;
config n : int = 4;
main { let d = data.csv("a", [2]) as f32[_, 2]; for x in data.batches(d, size = n) { print(1); } }  //~ PML0205@81
