def f(x) { } //~ PML0001@1
main { }
