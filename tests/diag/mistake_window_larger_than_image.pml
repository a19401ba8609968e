main { print(sum(conv2d(ones([1, 1, 2, 2]), ones([1, 1, 4, 4])))); }    //~ PML0203
