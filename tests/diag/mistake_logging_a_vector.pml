main { log(loss = ones([3])); }    //~ PML0506
