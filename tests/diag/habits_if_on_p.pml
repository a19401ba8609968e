place p = ranks(0..2);
main { let x = zeros([4]) to @p : S(0); if sum(x) > 0.0 { print("a"); } }  //~ PML0307@44
