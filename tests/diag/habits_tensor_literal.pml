main { let x = [1.0, 2.0, 3.0]; print(x * 2.0); }  //~ PML0204@39
