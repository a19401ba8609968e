place p = ranks(0..2);
param w : f32[4] @ p = zeros();
main { w = zeros([5]); }  //~ PML0505@12
