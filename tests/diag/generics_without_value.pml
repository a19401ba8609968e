fn f[n, m](x: f32[n]) { return zeros([m]); }  //~ PML0222
main { print(sum(f(zeros([3])))); }
