fn f(x: f64[], y: f64[], n) { return x * y * y; }
main {
    let (x, y) = (1.0 as f64, 2.0 as f64);
    print(jvp(f)(x, y, iota(2), 1.0, 1.0));                //~ PML0414
    print(jvp(f, wrt = "z")(x, y, iota(2), 1.0));          //~ PML0413
    print(jvp(f, wrt = "n")(x, y, iota(2), iota(2)));      //~ PML0414
    print(jvp(f, wrt = ("x", "y"))(x, 1.0, 1.0));          //~ PML0414
    print(jvp(f, wrt = "x")(x, y, iota(2), [1.0, 2.0]));   //~ PML0414
    print(jvp(f, wrt = "x")(x, y, iota(2), 1.0));
}
