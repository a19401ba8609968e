place p = ranks(0..2);
param h : f32[6, 6] @ p : S(0) = ones(); param w : f32[6, 6] @ p = ones(); param z : f32[6, 6] @ p : S(1) = ones();
config n : int = 3;
fn add[l: layout](a: f32[6, 6] @ p : l, b: f32[6, 6] @ p : l) -> f32[6, 6] @ p : l { return a + b; }
fn turns_over() { var a = h; for i in 0..n { a = transpose(a); } return sum(a) to B; }   //~ PML0306@50
fn turns_over_known() { var a = h; for i in 0..3 { a = transpose(a); } return sum(a + h) to B; }   //~ PML0304@83
fn parts_after() { var a = h; for i in 0..n { a = a @ z; } return sum(a) to B; }   //~ PML0304@51
fn parts_twice() { var a = w; for i in 0..5 { a = a * (z @ h); } return sum(a) to B; }   //~ PML0308@51
fn unfinished() { var a = h; while sum(a) < 100.0 { a = a * 2.0; } return sum(a) to B; }   //~ PML0307@36
fn condition() { var a = h; while max(a > 100.0) { a = a * 0.5; } return sum(a) to B; }   //~ PML0310@35
fn first() { var a = w; for i in 0..5 { a = add(a, h); } return sum(a) to B; }   //~ PML0305@52
fn arm() { var a = h; if (sum(h) to B) > 1.0 { a = transpose(a); } return sum(a) to B; }   //~ PML0306@52
main {
    let g0 = grad(turns_over)();
    let g1 = grad(turns_over_known)();
    let g2 = grad(parts_after)();
    let g3 = grad(parts_twice)();
    let g5 = grad(unfinished)();
    let g6 = grad(condition)();
    let g4 = grad(arm)();
    let g7 = grad(first)();
}
