main { print(sum(conv2d(ones([1, 3, 8, 8]), ones([4, 2, 3, 3])))); }    //~ PML0201
