place p = ranks(0..2);
param w : f32[4] @ p : B = zeros();
main { w = w to S(0); }  //~ PML0303@12
