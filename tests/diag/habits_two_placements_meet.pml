place a = ranks(0..2);
place b = ranks(2..4);
main { let x = zeros([4]) to @a; let y = zeros([4]) to @b; print(x + y); }  //~ PML0212@66
