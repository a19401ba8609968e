// `test` blocks: assert, assert_equal and assert_close of tensors, host values, shapes; run on 1 to 4 ranks.
//% test 1 (2) 3 (4)
place p = ranks(0..4);
param w : f32[5, 3] @ p : S(0) = normal(std = 0.1);
state n : i32[2] @ p = zeros(dtype = i32);

fn double(x) { return x * 2.0; }
fn squares(x: f32[6]) { return sum(x * x) to B; }

test "host values" {
    assert(1 + 1 == 2);
    assert_equal(3 * 4, 12);
    assert_equal("a" + "b", "ab");
    assert_close(sqrt(2.0) * sqrt(2.0), 2.0);
    assert_equal(true, !false);
}
test "tensors" {
    let x = iota(6) as f32 to @p : S(0);
    assert_equal(double(x), x + x);
    assert_close(double(x) / 3.0, x * 0.6666667, rtol = 1e-5);
    assert(x >= 0.0);
    assert(all(x >= 0.0) to B);
    assert((sum(x) to B) == 15.0);
    assert_equal(x as i32, iota(6) as i32);
    assert_equal(shape(x), [6]);
}
test "params are fresh in every test" {
    assert_close(w, w);
    w = w * 0.0;
    n = n + 1;
    assert_equal(n, ones([2], dtype = i32));
    assert((max(abs(w)) to B) == 0.0);
}
test "and so are states" {
    assert((max(abs(w)) to B) > 0.0);
    assert_equal(n, zeros([2], dtype = i32));
}
test "gradients" {
    let x = iota(6) as f32 to @p : S(0);
    assert_equal(grad(squares)(x), 2.0 * x);
    let (l, g) = value_and_grad(squares)(x);
    assert_close(l, 55.0);
}
test "random numbers have a seed" {
    assert_equal(uniform(rng(1), [3]) to @p, uniform(rng(1), [3]) to @p : S(0) to B);
}
