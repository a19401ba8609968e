main { for i in 10 { print(i); } }  //~ PML0501@17
