place p = ranks(0..2);
main { let x = zeros([2, 2]) to @p; print(sum(x, axis = 0)); }  //~ PML0203@50
