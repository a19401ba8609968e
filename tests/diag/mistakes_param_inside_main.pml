main { param w : f32[3] = zeros(); print(w); }  //~ PML0003@8 PML0001@36
