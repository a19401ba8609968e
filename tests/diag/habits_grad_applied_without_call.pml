place p = ranks(0..2);
fn f(x: f32[3]) { return sum(x); }
main { let x = zeros([3]) to @p; print(grad(f, x)); }  //~ PML0203@48
