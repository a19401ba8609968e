main { while true { print(1); } }  //~ PML0506@14
