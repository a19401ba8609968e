import std.optim;
place p = ranks(0..2);
param w : f32[3] @ p = zeros();
fn f() { return sum(w * w); }
main { let (l, g) = value_and_grad(f)(); optim.sgd(g); }  //~ PML0203@42
