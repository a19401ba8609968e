place p = ranks(0..2);
main { let x = zeros([5]) to @p; print(x[2..9]); }  //~ PML0210@45
