op f(a[i]) -> [j] = a;
main { print(f(zeros([3]))); }  //~ PML0602@14
