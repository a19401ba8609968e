param w : f32[3];
fn by_param(x: f32[3]) { return sum(w * x); }
fn counts(n) { return n + 1; }
fn f[n](x: f32[n], i: i32[n]) { return sum(x) + (sum(i) as f32); }
main {
    let x = ones([3]);
    let i = iota(3) as i32;
    print(grad(f, wrt = "x")(x, i));
    print(grad(f, wrt = "y")(x, i));          //~ PML0413
    print(grad(f, wrt = "i")(x, i));          //~ PML0413
    print(grad(f, wrt = true)(x, i));         //~ PML0413
    print(grad(by_param, wrt = "w")(x));      //~ PML0413
    print(grad(grad(by_param, wrt = "x"), wrt = 1)(x)); //~ PML0413
    print(grad(counts)(1));                   //~ PML0412
    print(jvp(by_param)(x, 1.0));             //~ PML0414
}
