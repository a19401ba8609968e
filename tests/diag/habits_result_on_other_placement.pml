place a = ranks(0..2);
place b = ranks(2..4);
fn f(x: f32[4] @ a) -> f32[4] @ b { return x; }  //~ PML0212@44
main { let y = zeros([4]) to @a; print(f(y)); }
