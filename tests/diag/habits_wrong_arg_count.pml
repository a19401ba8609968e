fn f(x, y) { return x + y; }
main { print(f(1)); print(f(1, 2, 3)); }  //~ PML0203@14 PML0203@35
