place p = ranks(0..2);
main { let x = zeros([5]) to @p; print(x[4..2]); }  //~ PML0210@42
