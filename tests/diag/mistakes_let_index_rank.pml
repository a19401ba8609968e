main { let a = zeros([3, 3]); let b[i] = a[i]; print(b); }  //~ PML0211@42
