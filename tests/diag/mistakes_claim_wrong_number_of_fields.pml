import std.data;
main { let d = data.csv("a", [2, 1]) as (f32[_, 2]); print(data.rows(d)); }  //~ PML0221@41
