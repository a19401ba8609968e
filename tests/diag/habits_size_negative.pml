main { print(zeros([-3])); }  //~ PML0207@20
