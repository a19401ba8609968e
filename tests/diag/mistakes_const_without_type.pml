const N = 3;
main { print(N + M); }  //~ PML0101@18
