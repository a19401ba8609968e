place all = ranks(0..2);
param w : f32[3] @ all = ones();
fn f(x) { return sum(x * w); }
fn g(x) { return sum(x * x); }
main {
    var a = 1;
    var k = 1;
    var d = 1.0;
    var b = 2.0;
    (a, b) = (1, 2.0, 3); //~ PML0217
    (a, b) = 4; //~ PML0217
    while k < 3 { (k, d) = (k + 1, zeros([3])); } //~ PML0506
    let x = zeros([3]) to @all;
    print(grad(f, wrt = x)(x).w); //~ PML0413
    print(grad(g, wrt = w)(x)); //~ PML0413
    print(grad(f, wrt = (w, "y"))(x)); //~ PML0413
    print(jvp(f, wrt = w)(x, x)); //~ PML0413
    print(x[.., 0, ..]); //~ PML0210
}
