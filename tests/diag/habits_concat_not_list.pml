place p = ranks(0..2);
main { let x = zeros([2, 3]) to @p; print(concat(x, x)); }  //~ PML0209@50
