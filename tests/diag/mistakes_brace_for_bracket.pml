fn f(x, n) { return (x, [sum(x), sum(x * x){, n); } //~ PML0001@44
fn g(x) { return 2.0 * x; }
fn h(x) { return 3.0 * x; }
main { print(h(g(1.0))); }
