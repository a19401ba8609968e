// Parts of a mesh as placements: products there, moves between them. Values from NumPy.
//% fold 1 6
place grid = ranks(0..6) as (dp = 3, tp = 2);
place a = grid[tp = 0];
place b = grid[dp = 1..3];
place c = grid[dp = 2, tp = 1];
param w : f32[4, 2] @ grid[tp = 1] : (dp=S(0)) = full(0.5);
main {
    let x = reshape(iota(12), [3, 4]) as f32 to @grid[tp = 1] : (dp=S(1));
    let y = x @ w;
    print(y to @a : (dp=S(0)) to B);
    let z = 2.0 * (y to @b : (dp=S(0), tp=S(1)));
    print(z to B);
    print(sum(y) to @c);
    print((sum(x, dim = 1) + 1.0) to @b : (tp=S(0)) to @c);
}
