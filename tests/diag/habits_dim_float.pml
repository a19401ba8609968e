place p = ranks(0..2);
main { let x = zeros([2, 3]) to @p; print(sum(x, dim = 0.5)); }  //~ PML0205@43
