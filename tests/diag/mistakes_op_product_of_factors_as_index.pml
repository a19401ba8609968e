op f(a[i], b[j]) -> [i * j] = a * b;  //~ PML0602@22
main { print(f(zeros([3]), zeros([2]))); }
