place p = ranks(2..2);  //~ PML0215@11
main { print(1); }
