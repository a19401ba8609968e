config k : int = 5;
param x : f32[6] = ones();
fn f(x, k) {
    var u = x;
    if k == 0 { u = u * 2.0; }                //~ PML0415@8
    else if k == 1 { u = sin(u) * 1.0; }
    else if k == 2 { u = sin(u) * 2.0; }
    else if k == 3 { u = sin(u) * 3.0; }
    else if k == 4 { u = sin(u) * 4.0; }
    else if k == 5 { u = sin(u) * 5.0; }
    else if k == 6 { u = sin(u) * 6.0; }
    else if k == 7 { u = sin(u) * 7.0; }
    else { u = u - 1.0; }
    return sum(u);
}
main {
    print(f(x, k));
    print(grad(f, wrt = "x")(x, k));
}
