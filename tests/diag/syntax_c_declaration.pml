main {
    int x = 3; //~ PML0001@9
    let y = 4;
}
