config n : int;  //~ PML0001@15
main { print(n); }
