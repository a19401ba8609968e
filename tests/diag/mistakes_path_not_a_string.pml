import std.data;
main { let d = data.csv(3, [2]) as f32[_, 2]; print(data.rows(d)); }  //~ PML0209@25
