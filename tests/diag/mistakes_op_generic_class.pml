op f[t: float](a[i]: t) -> [i] : t = a;
main { print(f(iota(3))); }  //~ PML0202@16
