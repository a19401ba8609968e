import std.data;
main { let d = data.csv("a", [2]) as f32[_, 2]; for x in data.batches(d, size = 2, shuffle = 3) { print(1); } }  //~ PML0209@94
