param w : [2] f32[1, 1, 1, 1, 1, 1, 1, 2] = ones();
fn f(x) {
    var s = 0.0;
    for v in w { s = s + sum(v * x); }    //~ PML0415@14
    return s;
}
main {
    let x = ones([2]);
    print(f(x), grad(f)(x));
}
