place p = ranks(0..2);
main { let x = zeros([3]) to @p; for v in x { print(v); } }  //~ PML0501@43
