main { print(ones([3])[1.0]); }    //~ PML0204
