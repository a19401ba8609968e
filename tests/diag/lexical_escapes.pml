main {
    print("C:\data\x41\n\"\\\t\r");   //~ PML0007@14
    print("\x00");   //~ PML0007@12
    print("\q\x4");   //~ PML0007@12 PML0007@14
}
