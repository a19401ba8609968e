main { assert(1); }  //~ PML0501@15
