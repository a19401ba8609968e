main { for i in 0.0..1.0 { print(i); } }  //~ PML0501@17
