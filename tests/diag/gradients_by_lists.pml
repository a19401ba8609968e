fn f(x) { return sum(exp(x)); }
fn g(x, n: int) { return sum(exp(x)) * n; }
main {
    print(grad(f)([1.0, 2.0]));                 //~ PML0412
    print(grad(g)([[1.0, 2.0], [3.0, 4.0]], 2));    //~ PML0412
    print(grad(f)([1.0, 2.0] as f32));
    let x = [1.0, 2.0];
    print(grad(f)(x));                          //~ PML0412
}
