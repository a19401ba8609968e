main { let b[i] = a[i]; print(b); }  //~ PML0101@19
