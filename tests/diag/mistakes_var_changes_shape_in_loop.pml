place p = ranks(0..2);
main { var x = zeros([3]) to @p; for i in 0..3 { x = concat([x, x]); } print(x); }  //~ PML0505@54
