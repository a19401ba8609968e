place p = ranks(0..2);
main { let x = zeros([4, 4]) to @p : S(0); let s = sum(x, dim = 0); print(s * s to B); }  //~ PML0307@75
