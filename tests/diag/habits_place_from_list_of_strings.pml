place p = ranks("0", "1");  //~ PML0204@17
main { print(1); }
