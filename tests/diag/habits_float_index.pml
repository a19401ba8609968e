place p = ranks(0..2);
main { let x = zeros([5]) to @p; print(x[1.0]); }  //~ PML0204@42
