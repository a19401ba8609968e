place p = ranks(0..2);
main { let x = zeros([6]) to @p; print(reshape(x, [4, 2])); }  //~ PML0201@51
