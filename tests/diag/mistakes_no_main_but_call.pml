print(1);  //~ PML0001@1
