place p = ranks(0..2);
param w : f32[3] @ p = zeros();
main { let l = sum(w * w); l.backward(); }  //~ PML0216@30
