main { { let z = 1; } print(z); }  //~ PML0101@29
