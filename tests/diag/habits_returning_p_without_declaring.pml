place p = ranks(0..2);
fn f(x: f32[4, 4] @ p : S(0)) -> f32[4] @ p { return sum(x, dim = 0); }  //~ PML0309@54
main { print(f(zeros([4, 4]) to @p : S(0))); }
