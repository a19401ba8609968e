fn g(x) {
    if x > 0.0 {
        return x;
fn h(x) { return x; }  //~ PML0003@1
main { print(h(1.0)); }
