main {
    var s = 0;
    for i in 0..3 { s = s + i; ) //~ PML0003@32
    print(s);
}
