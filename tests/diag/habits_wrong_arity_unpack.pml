place p = ranks(0..2);
param w : f32[3] @ p = zeros();
fn f() { return sum(w * w); }
main { let l = value_and_grad(f)(); print(l + 1.0); }  //~ PML0204@43
