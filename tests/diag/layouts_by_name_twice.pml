const TWICE : layout = (dp=S(0), dp=B);              //~ PML0108
main { print(TWICE == B); }
