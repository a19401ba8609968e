place p = ranks(0..4) as (a = 2, b = 2);
param w : f32[4] @ p : (c=S(0)) = zeros();  //~ PML0213@25
main { print(1); }
