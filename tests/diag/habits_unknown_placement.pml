main { let x = zeros([4]) to @gpu; print(x); }  //~ PML0101@31
