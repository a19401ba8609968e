place p = ranks(0..2);
main { let x = zeros([4, 4]) to @p : S(0); let y = zeros([4, 4]) to @p : S(1); print(x + y to B); }  //~ PML0304@86
