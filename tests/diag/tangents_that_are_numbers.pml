fn f(x) { return x * x; }
main {
    let v = [1.0, 2.0] as f32;
    let s = sum(v);
    print(jvp(f)(v, 1.0)); //~ PML0414@21
    print(vjp(f)(v, 1.0)); //~ PML0414@21
    print(vjp(f)(v, [1.0])); //~ PML0414
    print([s, [s, s]] as f32); //~ PML0208
    print([s, "a"] as f32); //~ PML0208
}
