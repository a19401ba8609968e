place a = ranks(0..2);
place b = ranks(2..4);
fn f(x: f32[4] @ a) { return x; }
main { let y = zeros([4]) to @b; print(f(y)); }  //~ PML0212@42
