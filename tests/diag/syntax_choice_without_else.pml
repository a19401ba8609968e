fn f(x) { return if x => 1; } //~ PML0001@27
