op f(a[i, k]) -> [i] = median[k] a;  //~ PML0001@34
main { print(f(zeros([3, 2]))); }
