config n : int = 3;
fn f(a, b) { if n > 3 { return a; } return b; }     //~ PML0503
fn g(a, b) { return if n > 3 => a else b; }
fn h(a, k: int) { if k > 3 { return a; } return 2 * a; }
main { print(f(1, 2), g(1, 2), h(1, 2)); }
