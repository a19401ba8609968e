place p = ranks(0..2);
main { let x = zeros([4]) to @p : P(mean); print(x); }  //~ PML0014@37
