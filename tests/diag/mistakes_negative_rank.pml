place p = ranks([-1, 0]);  //~ PML0215@18
main { print(1); }
