const N : int = 3;
op f(a[..], b[..]) -> [..] = a as b.shape; //~ PML0222
fn g(x, y) { return x as y; } //~ PML0219@26
fn h(x) { return x as x.dtyp; } //~ PML0216
fn k(x) { return x as N; } //~ PML0219
main {
    let x = [1.0] as f32;
    print(f(x, x), g(x, x), h(x), k(x));
    print(floor_div(-9223372036854775808, -1)); //~ PML0207
    print(-(-9223372036854775808)); //~ PML0207
}
