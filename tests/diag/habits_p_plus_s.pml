place p = ranks(0..2);
main { let x = zeros([4, 4]) to @p : S(0); let s = sum(x, dim = 0); print(s + (ones([4]) to @p : S(0)) to B); }  //~ PML0304@75
