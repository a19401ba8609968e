place grid = ranks(0..4) as (dp = 2, tp = 2);
place line = ranks(0..4);
param a : f32[8, 16] @ grid : (B, S(1)) = zeros();       //~ PML0213@31
param b : f32[8, 16] @ grid : S(1) = zeros();            //~ PML0213@31
param c : f32[8, 16] @ grid : (B, B, S(1)) = zeros();    //~ PML0213@31
param d : f32[8, 16] @ line : (B, S(1)) = zeros();       //~ PML0213@31
param e : f32[8, 16] @ line : (S(1)) = zeros();
main { print(sum(a to (S(0), S(1)))); }                  //~
