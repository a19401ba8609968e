place p = ranks(0..2);
main { let x = iota(4) to @p; print(x.reshape(2, 2)); }  //~ PML0216@39
