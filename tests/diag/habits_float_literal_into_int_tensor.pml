place p = ranks(0..2);
main { let x = iota(4) to @p; print(x + 0.5); }  //~ PML0202@41
