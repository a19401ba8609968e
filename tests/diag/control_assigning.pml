param w : f32[3] = zeros();
fn f() { return sum(w); }
main {
    let g = grad(f)();
    w = w - g.w;
    g.w = w;                                  //~ PML0502
    var x = 1;
    x = 2;
    print(x);
}
