place p = ranks(0..2);
fn f(x: f32[4, 4] @ p : B) { return x; }
main { print(f(zeros([4, 4]) to @p : S(0))); }  //~ PML0303@16
