fn f(x: f64[2]) { return sum(x * x); }
main { print(check_gradient(f, [1.0, 2.0] as f64)); }  //~ PML0209
