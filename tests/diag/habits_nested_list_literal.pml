main { let x = tensor([1.0, 2.0]); print(x); }  //~ PML0101@16
