place p = ranks(0..4) as (a = 2, b = 2);
param w : f32[4] @ p : S(0) = zeros();  //~ PML0213@24
main { print(1); }
