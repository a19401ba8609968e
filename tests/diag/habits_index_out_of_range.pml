place p = ranks(0..2);
main { let x = zeros([3]) to @p; print(x[3]); }  //~ PML0210@42
