fn f(x) {
    let total = x + 1;
    return totl; //~ PML0101@12
}
fn g[n](x: f32[n, m]) { } //~ PML0101@19
main {
    print(undefined_thing);  //~ PML0101@11
    forwrd(1);  //~ PML0101@5
}
fn forward(x) { }
