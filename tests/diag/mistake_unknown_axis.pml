place grid = ranks(0..4) as (dp = 2, tp = 2);
param w : f32[4, 4] @ grid : (pp=S(0)) = zeros();    //~ PML0213
main { print(sum(w) to B); }
