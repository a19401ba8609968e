fn f(x) { return x; }
main {
    var a = 1;
    var b = 2.0;
    (a, f(b)) = (1, 2);  //~ PML0012
    (a, b) += (1, 2.0);  //~ PML0012
}
