main { for i in 0..3 { every 0 { print(i); } } }  //~ PML0501@30
