place p = ranks(0..2);
main { let x = zeros([2, 3]) to @p; let y = zeros([4, 5]) to @p; print(concat([x, y], dim = 0)); }  //~ PML0203@83
