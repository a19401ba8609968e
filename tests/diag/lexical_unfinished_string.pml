main {
    print("epoch); //~ PML0005@11
    let x = 3;
}
