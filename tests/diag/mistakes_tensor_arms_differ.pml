config b : bool = true;
place p = ranks(0..2);
main { let x = if b => zeros([3]) to @p else zeros([4]) to @p; print(x); }  //~ PML0505@16
