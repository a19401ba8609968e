config b : bool = true;
fn f(x) { if b { return x; } return x as i32; }  //~ PML0503@37
fn g(x) { if b { return [x, x]; } return [x]; }  //~ PML0503@42
main { print(f(ones([2]))); let l = g(1.0); }
