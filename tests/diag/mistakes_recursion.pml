fn f(n) { return if n > 0 => f(n - 1) else 0; }  //~ PML0504@30
main { print(f(3)); }
