fn f(x y) { } //~ PML0001@8
fn g(x, y) { print(x); }
