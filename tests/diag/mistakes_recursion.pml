config n : int = 3;
fn f(n) { return if n > 0 => f(n - 1) else 0; }  //~ PML0504@30
fn g(x) { return g(x) + g(x); }                  //~ PML0504@18
fn h(x) { var y = x; for i in 0..3 { y = h(y * 2.0); } return sum(y); }  //~ PML0504@42
main { print(f(n)); print(g(1.0)); print(grad(h)(ones([3]))); }
