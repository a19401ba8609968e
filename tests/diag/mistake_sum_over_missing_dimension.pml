main { print(sum(ones([3, 4]), dim = 2)); }    //~ PML0210
