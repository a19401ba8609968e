main { print(sum(ones([3]) @ 2.0)); }    //~ PML0204
