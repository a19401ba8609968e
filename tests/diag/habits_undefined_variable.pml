main { print(y); }  //~ PML0101@14
