main { print(sum(reshape(ones([3, 4]), [-1, -1]))); }    //~ PML0201
