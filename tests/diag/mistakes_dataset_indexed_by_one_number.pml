import std.data;
main { let d = data.csv("a", [2]) as f32[_, 2]; print(d[0]); }  //~ PML0204@55
