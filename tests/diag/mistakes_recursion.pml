config n : int = 3;
fn f(n) { return if n > 0 => f(n - 1) else 0; }  //~ PML0504@30
fn g(x) { return g(x) + g(x); }                  //~ PML0504@18
fn h(x) { var y = x; for i in 0..3 { y = h(y * 2.0); } return sum(y); }  //~ PML0504@42
fn k(x) { let y = 2.0 * x; if sum(y) > 1.0 { print(grad(k, wrt = 0)(y)); } return sum(y); }  //~ PML0504@52
main { print(f(n)); print(g(1.0)); print(grad(h)(ones([3]))); print(grad(k, wrt = 0)(ones([3]))); }
