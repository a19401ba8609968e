const N : int = 4;
place grid = ranks(0..2 * N) as (dp = 2, tp = N);
place first = grid[dp = 0];
place one = grid[dp = 1, tp = 3];
place row = grid[tp = 1..3];
place odd = ranks([1, 3, 5, 7]);
place backwards = ranks([3, 2, 1, 0]);
param a : f32[8, 8] @ grid : (dp=S(0), tp=S(1)) = zeros();
param b : f32[8] @ first : S(0) = zeros();
param c : f32 @ one = ones();
param d : f32[8, 8] @ row : (dp=S(0)) = zeros();
main {
    print(sum(b to @odd : S(0)) to B, sum(b to @backwards) to B, c);
}
