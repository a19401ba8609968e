place p = ranks(0..2);
main { let t = zeros([4, 2]) to @p; print(embed(t, zeros([3]) to @p)); }  //~ PML0202@52
