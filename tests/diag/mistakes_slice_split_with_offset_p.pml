place p = ranks(0..2);
main { let x = zeros([8]) to @p : S(0); print(x[1..7] + x[0..6] to S(0)); }  //~ PML0304@47
