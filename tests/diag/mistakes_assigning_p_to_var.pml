place p = ranks(0..2);
main { var x = zeros([4]) to @p : B; for i in 0..3 { x = sum(zeros([4, 4]) to @p : S(0), dim = 0); } print(x); }  //~ PML0306@58
