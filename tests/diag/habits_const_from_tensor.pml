const N : int = sum(zeros([3]));  //~ PML0202@17
main { print(N); }
