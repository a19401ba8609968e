op f(a[i]) -> [i] = sum[k] a;
main { print(f(zeros([3]))); }  //~ PML0602@14
