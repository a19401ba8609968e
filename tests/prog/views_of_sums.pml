// Slices, reshapes, concatenations and lookups of unfinished sums. Values from NumPy.
//% fold 1 3
//% bits views_of_sums
place p = ranks(0..3);
main {
    let x = reshape(iota(30), [5, 6]) as f64 to @p : S(0);
    let y = sum(x, dim = 0);
    print(y[2..5] to B, reshape(y, [2, 3]) to B, sum(y) to B, concat([y, y]) to B, y[[3, 1]] to S(0) to B, (y + y) * 2.0 - y to B);
}
