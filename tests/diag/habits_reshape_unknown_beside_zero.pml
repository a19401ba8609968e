place p = ranks(0..2);
main { let x = zeros([0, 4]) to @p; print(reshape(x, [-1, 0])); }  //~ PML0201@54
