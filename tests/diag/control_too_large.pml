fn f(x) { var y = x; for i in 0..4000 { for j in 0..4000 { y = y + 1.0; } } return y; }    //~ PML0511
main { print(f(1.0)); }
