main { print(uniform(1, [3])); }  //~ PML0209@22
