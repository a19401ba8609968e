main { var x = 1; for i in 0..3 { x = "a"; } print(x); }  //~ PML0505@39
