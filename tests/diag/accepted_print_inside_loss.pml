place p = ranks(0..2);
param w : f32[3] @ p = zeros();
fn f() { print(w); return sum(w * w); }
main { let g = grad(f)(); print(g.w); }
