// The same matrix on a mesh of two axes, dp and tp: rank 2 * dp + tp.
place grid = ranks(0..4) as (dp = 2, tp = 2);

param tiles : f32[6, 8] @ grid : (dp=S(0), tp=S(1)) = normal(std = 1.0);
param x : f32[6, 4] @ grid : (dp=S(0), tp=S(1)) = normal(std = 1.0);
param w : f32[4, 8] @ grid : (tp=S(0)) = normal(std = 1.0);

main {
    let rows = tiles to (dp=S(0));
    let all_of_it = tiles to B;
    let y = x @ w;                       // rows over dp, an unfinished sum over tp
    let finished = y to (dp=S(0));
    print(sum(rows) + sum(all_of_it) + sum(finished) to B);
}
