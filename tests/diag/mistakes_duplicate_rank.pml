place p = ranks([0, 1, 1]);  //~ PML0215@11
main { print(1); }
