place p = ranks(0..2);
param w : f32[4] @ p : P = zeros();  //~ PML0213@24
main { print(w to B); }
