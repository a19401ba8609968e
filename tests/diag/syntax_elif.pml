fn f(x) {
    if x { } elif x { } //~ PML0001
}
