main {
    if true { let x = 1; }
    print(x);  //~ PML0101@11
    for i in 0..3 { }
    print(i);  //~ PML0101@11
}
