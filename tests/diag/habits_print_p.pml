place p = ranks(0..2);
main { let x = zeros([4]) to @p : S(0); print(sum(x)); }  //~ PML0310@47
