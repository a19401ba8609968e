main { print(sum(normal([3, 4]))); }    //~ PML0203
