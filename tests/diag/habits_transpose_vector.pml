place p = ranks(0..2);
main { let x = zeros([3]) to @p; print(transpose(x)); }  //~ PML0211@50
