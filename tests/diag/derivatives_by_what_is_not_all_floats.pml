fn by(pair, x) { let (a, k) = pair; return sum(a * x) * k; }
main {
    let x = ones([3]);
    print(grad(by, wrt = "pair")((x, 2), x));        //~ PML0413
    print(grad(by, wrt = "pair")((x, iota(1)), x));  //~ PML0413
    print(grad(by, wrt = "x")((x, 2), x));
}
