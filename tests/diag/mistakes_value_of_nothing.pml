fn f() { }
main { let x = f(); print(x + 1); }  //~ PML0204@27
