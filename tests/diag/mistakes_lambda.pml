main { let f = |x| x + 1; print(f(1)); }  //~ PML0004@16 PML0004@18 PML0001@20
