main { for i in 0..2.5 { print(i); } }    //~ PML0501
