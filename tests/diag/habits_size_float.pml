main { print(zeros([2.0])); }  //~ PML0205@20
