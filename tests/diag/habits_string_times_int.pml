main { print("a" * 3); }  //~ PML0204@14
