place grid = ranks(0..4) as (pp = 2, tp = 2);
place line = ranks(0..4);
param w : [i in 0..6] f32[grid.tp] @ grid[pp = floor_div(i * grid.pp, 6)] = ones();
main {
    print(grid.pp * grid.tp, sum(w[5]) to B);
    print(grid.dp);                                           //~ PML0216@16
    print(sum(w[0] to @grid[pp = 9223372036854775807]) to B); //~ PML0213
    print(line.pp);                                           //~ PML0216@16
}
