fn f(x) { return x ? 1 : 2; } //~ PML0001@22
