main { var x = 0; for i in 0..3 { x += 0.5; } print(x); }  //~ PML0505@40
