main { let x = 1; x = 2; print(x); }  //~ PML0112@19
