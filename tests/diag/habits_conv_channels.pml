place p = ranks(0..2);
main { let x = zeros([1, 3, 8, 8]) to @p; let w = zeros([4, 1, 3, 3]) to @p; print(conv2d(x, w)); }  //~ PML0201@84
