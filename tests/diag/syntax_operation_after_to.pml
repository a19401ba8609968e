fn f(x, y) { return x to B + y; } //~ PML0001@28
fn g(x, y) { return (x to B) + y; }
