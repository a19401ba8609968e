place p = ranks(0..2);
param w : f32[4] @ p : S(1) = zeros();  //~ PML0210@24
main { print(w to B); }
