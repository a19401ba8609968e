place p = ranks(0..2);
main { let x = zeros([1, 1, 8, 8]) to @p : S(2); let w = zeros([1, 1, 3, 3]) to @p; print(conv2d(x, w)); }  //~ PML0304@91
