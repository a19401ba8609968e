main { if 1 && 2 { print("a"); } }  //~ PML0204@11
