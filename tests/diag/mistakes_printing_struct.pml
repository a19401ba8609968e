place p = ranks(0..2);
struct S1 { w : f32[3] @ p = zeros() }
param s : S1;
fn f(x) { return x; }
main { print(s); print((s, f)); print([1, [f]]); }  //~ PML0506@24 PML0506@39
