place p = ranks(0..2);
main { var x = zeros([3]) to @p; while x < 3.0 { x = x + 1.0; } }  //~ PML0506@40
