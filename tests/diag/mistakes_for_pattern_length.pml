main { for (a, b) in [1, 2] { print(a); } }  //~ PML0217@12
