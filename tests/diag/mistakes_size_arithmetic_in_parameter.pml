fn f[n](x: f32[2 * n]) -> f32[n] { return x[0..n]; }  //~ PML0222@20
main { print(f(zeros([6]))); }
