fn f(x) { return x ? 1 : 2; } //~ PML0004@20
