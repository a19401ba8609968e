op f(a[i]) -> [i] = a + true;  //~ PML0202@25
main { print(f(zeros([3]))); }
