place p = ranks(0..2);
main { let x = zeros([5]) to @p; print(x[1:3]); }  //~ PML0001@43
