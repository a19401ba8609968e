main { print(uniform([3])); }  //~ PML0203@14
