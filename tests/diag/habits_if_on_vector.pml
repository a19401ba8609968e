place p = ranks(0..2);
main { let x = zeros([3]) to @p; if x > 0.0 { print("a"); } }  //~ PML0506@37
