op f(a[i]) -> [i] = a + b;  //~ PML0101@25
main { print(f(zeros([3]))); }
