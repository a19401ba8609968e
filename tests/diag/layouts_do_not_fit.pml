// Operands whose layouts do not fit together, in functions and operators of the program's own.
place all = ranks(0..2);
op distance(a[m, k], b[n, k]) -> [m, n] = sum[k] (a - b) * (a - b);

main {
    let a = uniform(rng(1), [6, 4]) to @all : S(0);
    let b = uniform(rng(2), [6, 4]) to @all : S(1);
    let w = uniform(rng(3), [4, 6]) to @all : S(1);
    print(sum(a + b) to B);                            //~ PML0304@15
    print(sum(a @ w) to B);                            //~ PML0304
    print(sum(distance(a, b)) to B);                   //~ PML0304
    print(sum(a + (b to S(0))) to B);
    let p = sum(b, dim = 1);
    print(sum(p + sum(a, dim = 1)) to B);             //~ PML0304
    print(sum(argmax(b)) to B);              //~ PML0304
}
