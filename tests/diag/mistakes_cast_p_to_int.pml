place p = ranks(0..2);
main { let x = zeros([4, 4]) to @p : S(0); print(sum(x, dim = 0) as i32 to B); }  //~ PML0307@50
