config dir : path = "data";
main { print(dir / 3); }    //~ PML0204
