// Rows and single elements of split tensors are parts that one rank has, halves are split where their rows are; parts add like other
// unfinished sums.
// The derivative by an argument that comes as a P. Axes of one rank. Values by hand.
//% ranks 1 (2) 3
const N : int = 1;
place p = ranks(0..N);
place line = ranks(0..1) as (a = 1, b = 1);

fn total(x: f32[4] @ p : P, y: f32[4] @ p : S(0)) -> f32 @ p : B { return sum(x * (y to B)) to B; }

main {
    let x = reshape(iota(12) as f32, [4, 3]) to @p : S(0);
    print(x[0] + x[1] to B, x[1..3] + x[2..4] to B, x[0] - 2.0 * x[3] + (x[2] to B) to B);
    let v = iota(6) as f32 to @p : S(0);
    print(v[0..3] + v[3..6] to B, v[1] + v[4] to B, sub_along(v[2..5], v[1], dim = 0) to B, concat([v[0..2], v[4..6]]) to B);
    let h = sum(x, dim = 0);
    print(h + x[0] to B);
    let (dx, dy) = grad(total)(iota(4) as f32 to @p : P, iota(4) as f32 + 1.0 to @p : S(0));
    print(dx to B, dy to B);
    let w = iota(4) as f32 to @line : (b=S(0));
    print(w + (w to (a=S(0))) to B);
    // On one rank a reshape keeps the layout that it has on many.
    let r : f32[1, 1, 3, 4] @p : S(3) = reshape(permute(x, [1, 0]), [1, 1, 3, 4]);
    print(r[0, 0] to B);
    let n : f32[2, 3] @line : (a=S(0), b=S(1)) = reshape(iota(6) as f32 to @line : (a=S(0), b=S(0)), [2, 3]);
    print(n to B);
}
