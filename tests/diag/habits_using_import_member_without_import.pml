main { let d = data.csv("a.csv", [1]); }  //~ PML0101@16
