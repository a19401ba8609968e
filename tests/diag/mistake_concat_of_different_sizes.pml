main { print(sum(concat([ones([3, 4]), ones([2, 4])]))); }    //~ PML0203
