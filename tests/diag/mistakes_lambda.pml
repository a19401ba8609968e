main { let f = |x| x + 1; print(f(1)); }  //~ PML0004@16
