main {
    if true {
        print(1);
} //~ PML0003