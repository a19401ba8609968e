fn f(x, a = 1, b = 2) { return x + a + b; }
main {
    f(1, a = 2, a = 3);      //~ PML0108@17
    f(a = 1, 2);             //~ PML0114@14
    f(1, a = 2, b = 3);
}
