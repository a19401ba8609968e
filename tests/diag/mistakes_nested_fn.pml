main { fn g(x) { return x; } print(g(1)); }  //~ PML0003@8 PML0001@30
