place p = ranks(0..2);
param b : f32[4] @p : P(sum, shares = [2, 1]) = zeros(); //~ PML0014
param s : f32[4] @p : S(0, parts = [2, 1]) = zeros();    //~ PML0014
main { print(1); }
