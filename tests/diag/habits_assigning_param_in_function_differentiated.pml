place p = ranks(0..2);
param w : f32[4] @ p = zeros();
fn f() { w = w + 1.0; return sum(w); }  //~ PML0502@14
main { print(grad(f)().w); }
