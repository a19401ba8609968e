config n : int = "3";  //~ PML0209@18
main { print(n); }
