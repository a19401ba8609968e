op f(a[v], i[n]) -> [n] = a[i];  //~ PML0601@29
main { print(f(zeros([3]), zeros([2]))); }
