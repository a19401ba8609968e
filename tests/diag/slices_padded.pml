// A slice that is padded to another extent is cut elsewhere. What its help gathers for who takes shares of it, `z to B`, travels as these shares.
place p = ranks(0..4);
main {
    let x = uniform(rng(1), [64, 4]) to @p : S(0);
    let y = uniform(rng(2), [64, 4]) to @p : S(0);
    let z = pad(x[1..61], 2, 2, dim = 0);
    print(sum(z * y) to B);                                                   //~ PML0304
    print(sum(pad(x[4..], 0, 4, dim = 0) * y) to B);                          //~ PML0304
    print(sum(pad(relu(x[1..61]), 2, 2, dim = 0) * y) to B);                  //~ PML0304
    print(sum(pad(x[1..61], 1, 1, dim = 0) * pad(x[2..62], 1, 1, dim = 0)) to B);  //~ PML0304
    print(sum((z to B) * y) to B, sum((z to B) * y + (z to B)[1..2, 0..1]) to B);
}
