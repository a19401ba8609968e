main { if !3 { print("a"); } }  //~ PML0204@11
