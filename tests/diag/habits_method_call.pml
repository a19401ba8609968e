place p = ranks(0..2);
main { let x = iota(4) to @p; print(x.sum()); }  //~ PML0216@39
