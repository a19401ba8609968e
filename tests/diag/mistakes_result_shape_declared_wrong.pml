fn f[n](x: f32[n]) -> f32[n + 1] { return x; }  //~ PML0201@43
main { print(f(zeros([6]))); }
