place p = ranks(0..2);
main { let x = zeros([4]) to @p : S; print(x); }  //~ PML0014@35
