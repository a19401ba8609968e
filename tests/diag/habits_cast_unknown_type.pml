place p = ranks(0..2);
main { let x = zeros([3]) to @p; print(x as float32); }  //~ PML0111@45
