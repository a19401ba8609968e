main { for i in 0..3 { every 0.5 { print(i); } } }  //~ PML0501@30
