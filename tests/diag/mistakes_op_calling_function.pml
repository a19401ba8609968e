fn g(x) { return x + 1.0; }
op f(a[i]) -> [i] = g(a);  //~ PML0603@21
main { print(f(zeros([3]))); }
