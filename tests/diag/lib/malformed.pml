fn f(x) { return (; }  //~ PML0003
