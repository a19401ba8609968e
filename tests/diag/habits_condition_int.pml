main { if 1 { print("a"); } }  //~ PML0501@11
