main {
    print(x);   //~ PML0101@11
    let x = 1;
    let y = y;  //~ PML0101@13
}
