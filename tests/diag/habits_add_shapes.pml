place p = ranks(0..2);
main { let x = zeros([2, 3]) to @p; let y = zeros([2]) to @p; print(x + y); }  //~ PML0201@73
