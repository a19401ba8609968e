place all = 4;    //~ PML0204
main { print("x"); }
