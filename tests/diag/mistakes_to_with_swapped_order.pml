place p = ranks(0..2);
main { let x = zeros([4]) to S(0) @p; print(x); }  //~ PML0001@35
