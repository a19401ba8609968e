fn f(n) { return g(n); }
fn g(n) { return f(n); }  //~ PML0504@18
main { print(f(3)); }
