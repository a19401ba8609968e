fn f(x) { return g(x) + 1.0; }
fn g(x) { return f(x); }                      //~ PML0504@18
main { print(f(1.0)); }
