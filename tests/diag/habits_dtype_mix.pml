place p = ranks(0..2);
main { let x = zeros([3]) to @p; let y = zeros([3], dtype = f64) to @p; print(x + y); }  //~ PML0202@83
