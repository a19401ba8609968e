place p = ranks(0..2);
param w : f32[3] @ p = zeros();
main { state m : like w = zeros(); m = m + 1.0; print(m + "x"); }  //~ PML0204@55
