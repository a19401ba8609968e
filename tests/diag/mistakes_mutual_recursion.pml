fn f(n) { return g(n); }  //~ PML0504@18
fn g(n) { return f(n); }
main { print(f(3)); }
