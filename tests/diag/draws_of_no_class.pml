main { print(categorical(rng(1), zeros([3, 0]))); }  //~ PML0203@14
