fn f[t: float](x: t[3]) { return x; }
main { print(f(iota(3))); }  //~ PML0202@16
