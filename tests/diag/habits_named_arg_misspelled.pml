fn f(x, scale = 1.0) { return x * scale; }
main { print(f(1.0, scal = 2.0)); }  //~ PML0203@21
