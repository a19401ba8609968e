place p = ranks(4);  //~ PML0215@17
main { print(1); }
