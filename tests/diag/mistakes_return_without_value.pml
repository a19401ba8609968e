fn f[n](x: f32[n]) -> f32[n] { return; }  //~ PML0209@4
main { print(f(zeros([6]))); }
