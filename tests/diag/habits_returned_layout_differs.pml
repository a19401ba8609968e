place p = ranks(0..2);
fn f(x: f32[4, 4] @ p : S(0)) -> f32[4, 4] @ p : B { return x; }  //~ PML0303@61
main { print(f(zeros([4, 4]) to @p : S(0))); }
