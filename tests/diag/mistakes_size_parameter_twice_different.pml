fn f[n](x: f32[n], y: f32[n]) { return x + y; }
main { print(f(zeros([3]), zeros([4]))); }  //~ PML0201@28
