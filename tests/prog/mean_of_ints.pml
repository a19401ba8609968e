// Means of ints and bools are in f32, whole and along dimensions, on no rank, split.
//% test 1 3 (2 4)
place p = ranks(0..4);
test "on no rank" {
    let x = [[1, 2], [4, 3]] as i32;
    assert_equal(mean(x), 2.5);
    assert_equal(mean(x, dim = 0), [2.5, 2.5]);
    assert_equal(mean(x > 1, dim = 1), [0.5, 1.0]);
    assert_equal(mean(iota(5) as i64), 2.0);
    assert((mean(x > 1)).dtype == f32);
}
test "split" {
    let x = iota(7) to @p : S(0);
    assert_close(mean(x) to B, 3.0);
    assert_close(mean(x > 3) to B, 3.0 / 7.0);
}
param w : f32[6] @ p = full(0.5);
fn error(x) { return mean(square(x @ w)) + mean(x > 0.5); }
test "beside what is differentiated" {
    let x = reshape(iota(18), [3, 6]) as f32 / 18.0;
    let (l, g) = value_and_grad(error)(x);
    assert_close(l to B, (mean(square(x @ w)) to B) + 8.0 / 18.0);
}
