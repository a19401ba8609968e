fn f(x, y) { return x to B + y; } //~ PML0001@28
fn g(x, y) { return (x to B) + y; }
fn h(x, y) { return if sum(x) to B > 1.0 => x else y; } //~ PML0001@36
