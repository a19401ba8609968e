op f(a[i, j]) -> [i] = sum[j] a;
main { print(f(zeros([3]))); }  //~ PML0211@16
