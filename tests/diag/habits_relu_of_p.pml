place p = ranks(0..2);
main { let x = zeros([4, 4]) to @p : S(1); let w = zeros([4, 4]) to @p : S(0); print(relu(x @ w) to B); }  //~ PML0307@91
