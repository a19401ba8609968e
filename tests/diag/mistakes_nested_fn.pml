main { fn g(x) { return x; } print(g(1)); }  //~ PML0001@8
