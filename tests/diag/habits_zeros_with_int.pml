main { print(zeros(3)); }  //~ PML0209@20
