op f(a[i], b[i]) -> [i] = a + b;
main { print(f(zeros([3]), iota(3))); }  //~ PML0202@28
