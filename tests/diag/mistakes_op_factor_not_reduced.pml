op f(a[i, k]) -> [i] = a;
main { print(f(zeros([3, 2]))); }  //~ PML0605@14
