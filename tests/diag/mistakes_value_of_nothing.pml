fn f() { }
main { let x = f(); print(x + 1); }  //~ PML0209@16
