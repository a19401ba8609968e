fn f[t: float](x: t[3], y: t[3]) { return x; }
main { print(f(zeros([3]), zeros([3], dtype = f64))); }  //~ PML0202@28
