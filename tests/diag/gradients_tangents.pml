fn f[n](x: f32[n]) { return x * x; }
main {
    let x = ones([3]);
    print(jvp(f)(x, x)[1]);
    print(jvp(f)(x));                         //~ PML0414
    print(jvp(f)(x, ones([2])));              //~ PML0414
    print(vjp(f)(x, ones([2])));              //~ PML0414
    print(vjp(f)());                          //~ PML0414
}
