main { for i in range(10) { print(i); } }  //~ PML0101@17
