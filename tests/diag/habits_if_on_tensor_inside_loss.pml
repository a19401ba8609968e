place p = ranks(0..2);
param w : f32[3] @ p = zeros();
fn f() { if sum(w) > 0.0 { return sum(w); } return sum(w * w); }
fn g() { if w > 0.0 { return sum(w); } return sum(w * w); }  //~ PML0501@13
main { let a = grad(f)(); print(a.w); let b = grad(g)(); }
