// Concatenation, padding and slices of split dimensions on a mesh. Values from NumPy.
//% fold 1 4
//% bits joined_splits
place g = ranks(0..4) as (u = 2, v = 2);
main {
    let a = reshape(iota(10), [5, 2]) to @g : (u=S(0), v=S(1));
    let b = reshape(iota(6), [3, 2]) + 100 to @g : (u=S(0));
    let c = concat([a, b], dim = 0);
    print(c to (u=S(0)) to B, sum(concat([a, b, a], dim = 0), dim = 0) to B);
    print(concat([a[0..3] to (u=S(0), v=B), b], dim = 1) to B);
    print(pad(a, before = 1, after = 2, dim = 0) to B, pad(a, after = 3) to B);
    print(c[2..7] to B);
    print(c * 2 to (u=S(0), v=S(0)) to B);
}
