config sizes : int = [1, 2];  //~ PML0209@22
main { print(sizes); }
