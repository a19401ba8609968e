// The layout is told; that the bracket is of another kind, and that it is not closed, is the same mistake.
place p = ranks(0..2);
param w : f32[4] @ p : S]0) = ones(); //~ PML0014@24
fn f(x: f32[4] @ p : S[0), y: f32[4] @ p) { return x + y; } //~ PML0014@22
main { let q = ones([4]) to @p : S{0); print(q); } //~ PML0014@34
