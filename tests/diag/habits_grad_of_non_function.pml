main { let x = zeros([3]); print(grad(x)(x)); }  //~ PML0204@39
