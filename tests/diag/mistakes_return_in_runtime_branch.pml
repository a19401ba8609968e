config b : bool = true;
fn f(x) { if b { return x; } return x + 1.0; }  //~ PML0503@18
main { print(f(1.0)); }
