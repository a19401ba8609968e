fn f[n](x: f32[n], i: i32[n]) { return sum(x) + (sum(i) as f32); }
main {
    let x = ones([3]);
    let i = iota(3) as i32;
    print(grad(f, wrt = "x")(x, i));
    print(grad(f, wrt = "y")(x, i));          //~ PML0413
    print(grad(f, wrt = "i")(x, i));          //~ PML0413
    print(grad(f, wrt = true)(x, i));         //~ PML0413
}
