main { print(zeros(2, 3)); }  //~ PML0209@20
