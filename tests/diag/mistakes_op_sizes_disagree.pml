op f(a[i], b[i]) -> [i] = a + b;
main { print(f(zeros([3]), zeros([4]))); }  //~ PML0201@28
