main { let a = zeros([3]); let b[i, j] = a[i]; print(b); }  //~ PML0602@42
