place p = ranks(0..2);
main { let x = zeros([4, 4]) to @p : S(0); print(max(sum(x, dim = 0)) to B); }  //~ PML0307@54
