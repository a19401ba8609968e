main { print(sum(embed(ones([3, 4]), ones([2])))); }    //~ PML0202
