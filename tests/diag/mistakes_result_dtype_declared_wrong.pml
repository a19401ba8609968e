fn f[n](x: f32[n]) -> i32[n] { return x; }  //~ PML0202@39
main { print(f(zeros([6]))); }
