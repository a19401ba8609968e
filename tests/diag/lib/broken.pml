fn f(x) { return y; }  //~ PML0101@18
