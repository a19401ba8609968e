main { let a = 3; let b[i] = a[i]; print(b); }  //~ PML0208@30
