place p = ranks(0..2);
param w : f32[3] @ p = zeros();
fn f() { if sum(w) > 0.0 { return sum(w); } return sum(w * w); }  //~ PML0503@28
main { let g = grad(f)(); print(g.w); }
