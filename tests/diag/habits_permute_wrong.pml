place p = ranks(0..2);
main { let x = zeros([2, 3]) to @p; print(permute(x, [0, 0])); }  //~ PML0210@54
