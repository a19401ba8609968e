// Placements of permuted and overlapping ranks, with shards that are empty. Values from NumPy.
//% fold 1 6
place p = ranks([5, 2, 0]);
place q = ranks([1, 5, 3, 2]);
place r = ranks([0]);
place s = ranks([4, 3, 2, 1, 0, 5]) as (u = 2, v = 3);
main {
    let x = reshape(iota(10), [5, 2]) as f64 to @p : S(0);
    let y = x to @q : S(1);
    print(y to B);
    let z = (y * 2.0) to @s : (u=S(0), v=S(0));
    print(z to @r);
    print(sum(x, dim = 0) to @s : (u=S(0)) to @q : B);
    print((z / 2.0) to @s : (u=S(1), v=S(0)) to @p : B);
    let g = transpose(z) @ z / 4.0;
    print(g to @q : S(0) to B);
}
