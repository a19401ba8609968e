place p = ranks(0..2);
main { let x = zeros([2, 3]) to @p; print(sum(x, dim = 2)); }  //~ PML0210@43
