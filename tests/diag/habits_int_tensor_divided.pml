place p = ranks(0..2);
main { let x = iota(4) to @p; let m = sum(x) / 4; print(m); }  //~ PML0202@39
