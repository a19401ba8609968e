place p = ranks(0..2);
main { let x = zeros([3]) to @p; print(x[0, 1]); }  //~ PML0211@40
