main { let a = zeros([3]); let c = zeros([4]); let b[i] = a[i] + c[i]; print(b); }  //~ PML0201@66
