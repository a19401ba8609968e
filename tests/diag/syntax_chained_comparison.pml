fn f(x) { return 0 < x < 10; } //~ PML0015@24
