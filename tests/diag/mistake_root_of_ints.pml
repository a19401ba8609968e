main { print(sum(iota(4) ** 0.5)); }    //~ PML0202
