place p = ranks(0..2);
main { let x = zeros([4]) to @p; log(x = x); }  //~ PML0506@42
