// What --reproducible cannot allow: a matrix product over parts. Linear uses of parts element by element are legal, kept ones too.
// pmlc: --reproducible
place p = ranks(0..2);
param w : f32[4, 6] @ p : S(0) = normal(std = 1.0);
param v : f32[6, 3] @ p = normal(std = 1.0);

main {
    let x = uniform(rng(1), [5, 4]) to @p : S(1);
    let y = x @ w;
    print((y @ v) to B);                       //~ PML0320
    print(((y to B) @ v) to B);
    var kept = y;
    for i in 0..3 { kept = kept + y; print(i, kept to B); }
    print((2.0 * y + y) to B, transpose(y) to B, mean(y) to B, prod(x) to B);
}
