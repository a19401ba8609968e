config n : int = 3;
main { print(zeros([n])); }  //~ PML0205@20
