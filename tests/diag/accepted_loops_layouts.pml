place p = ranks(0..2);
place q = ranks(2..3);
param h : f32[6, 6] @ p : S(0) = ones(); param w : f32[6, 6] @ p = ones(); param z : f32[6, 6] @ p : S(1) = ones();
param rows : f32[8, 6, 6] @ p : S(0) = ones(); param columns : f32[8, 6, 6] @ p : S(2) = ones();
param one : f32[6, 6] @ p : S(0) = ones(); param other : f32[6, 6] @ p = ones(); param far : f32[6, 6] @ q = full(2.0);
config n : int = 3;
fn add[l: layout](a: f32[6, 6] @ p : l, b: f32[6, 6] @ p : l) -> f32[6, 6] @ p : l { return a + b; }

// Layouts change from turn to turn where their number is known, and settle where it is not.
fn turns_over() { var a = h; for i in 0..4 { a = transpose(a); } return sum(a + h) to B; }
fn splits() { var a = w; for i in 0..n { a = a * h; } return sum(a) to B; }
fn parts() { var a = 0.0; for i in 0..n { a = a + sum(h * (i + 1.0)); } return a to B; }
fn parts_once() { var a = w; for i in 0..1 { a = a * (z @ h); } return sum(a) to B; }
fn never() { var a = w; for i in 0..0 { a = a * (z @ h) * (z @ h); } return sum(a) to B; }
// Lines of what is split by lines are parts; one of several tensors need not be like the others.
fn lines() { var a = w; for i in 0..8 { a = a + rows[i]; } return sum(a) to B; }
fn lines_split() { var a = z; for i in 0..8 { a = a * columns[i]; } return sum(a) to B; }
fn layers() { var a = w; for x in [one, other] { a = a * x; } return sum(a) to B; }
// Whoever stands first in a call says what a layout parameter is, also in front of a loop.
fn calls() { var a = h; for i in 0..5 { a = add(a, w); } return sum(a) to B; }
fn calls_turned() { var a = w; for i in 0..n { a = add(h, a); } return sum(a) to B; }
// Conditions are finished, and known wherever the loop computes.
fn condition() { var a = h; while (sum(a) to B) < 100.0 { a = a * 2.0; } return sum(a) to B; }
fn two_places() { var a = h; while (max(a) to B) < 9.0 { a = (a to @q : B) * far to @p : S(0); } return sum(a) to B; }

main {
    for f in [turns_over, splits, parts, parts_once, never, lines, lines_split, layers, calls, calls_turned, condition, two_places] {
        let (l, g) = value_and_grad(f)();
        print(l);
    }
    for f in [turns_over, splits, parts, calls, condition, two_places] { print(sum(grad(f)().h) to B); }
}
