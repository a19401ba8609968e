//% test 3 (1 2 4)
// Every operator of the library computes the same split over ranks as whole.
place all = ranks(0..4);

fn split(x) { return x to @all : S(0); }

test "elementwise" {
    let a = uniform(rng(1), [10, 6], low = 0.1, high = 2.0);
    let b = uniform(rng(2), [10, 6], low = 0.1, high = 2.0);
    let w = a to @all : B;
    let v = b to @all : B;
    let s = split(a);
    let t = split(b);
    assert_close(s + t to B, w + v);
    assert_close(s - 2.0 * t to B, w - 2.0 * v);
    assert_close(s * t / (s + t) to B, w * v / (w + v));
    assert_close(exp(s) + log(t) + sqrt(s) + rsqrt(t) to B, exp(w) + log(v) + sqrt(w) + rsqrt(v));
    assert_close(tanh(s) + sigmoid(t) + erf(s) + gelu(t) to B, tanh(w) + sigmoid(v) + erf(w) + gelu(v));
    assert_close(relu(s - 1.0) + silu(t) + abs(s - 1.0) to B, relu(w - 1.0) + silu(v) + abs(w - 1.0));
    assert_close(min(s, t) + max(s, t) + s ** 3 + s ** 0.5 to B, min(w, v) + max(w, v) + w ** 3 + w ** 0.5);
    assert_close(where(s > t, s, t) to B, max(w, v));
    assert_equal(sum((s as i32) to B), sum(w as i32));
    assert_equal(sum(s < 1.0) to B, sum(w < 1.0));
}

test "along several dimensions" {
    let x = uniform(rng(1), [4, 3, 2]);
    let whole = x to @all : B;
    let flat = reshape(permute(whole, [1, 0, 2]), [3, 8]);
    for s in [x to @all : S(0), x to @all : S(1), whole] {
        assert_close(variance(s, dim = [0, 2]) to B, variance(flat));
        assert_close(std(s, dim = [2, -3], correction = 1) to B, std(flat, correction = 1));
        assert_close(logsumexp(s, dim = [0, 2]) to B, logsumexp(flat));
        assert_close(softmax(s, dim = [0, 2]) to B, permute(reshape(softmax(flat), [3, 4, 2]), [1, 0, 2]));
        assert_close(log_softmax(s, dim = [0, -1]) to B, permute(reshape(log_softmax(flat), [3, 4, 2]), [1, 0, 2]));
        assert_close(tile(s, [2, 1, 1, 3]) to B, stack([tile(whole, [1, 1, 3]), tile(whole, [1, 1, 3])], dim = 0));
        assert_close(ones([3]) @ s to B, sum(s, dim = 1) to B);
    }
    assert(all(is_nan(variance(ones([2, 3]), correction = 3))), message = "of no number that is free");
    assert(!is_finite(variance([1.0, 2.0], correction = 2)), message = "divided by nothing");
    let rising = [0.0, 1.0, inf, nan, nan] as f32;
    assert_equal(searchsorted(rising, [nan, 2.0, inf] as f32), [3, 2, 2]);
    assert_equal(searchsorted(rising, [nan, 2.0, inf] as f32, right = true), [5, 2, 3]);
}

test "reductions" {
    let a = uniform(rng(1), [10, 6], low = 0.5, high = 1.5);
    let w = a to @all : B;
    let s = split(a);
    let c = a to @all : S(1);
    assert_close(sum(s) to B, sum(w), rtol = 1e-4);
    assert_close(sum(c) to B, sum(w), rtol = 1e-4);
    assert_close(mean(s) to B, mean(w), rtol = 1e-4);
    assert_close(prod(s) to B, prod(w), rtol = 1e-3);
    assert_close(max(s) to B, max(w));
    assert_close(min(c) to B, min(w));
    assert_close(sum(s, dim = 0) to B, sum(w, dim = 0), rtol = 1e-4);
    assert_close(max(c, dim = 1) to B, max(w, dim = 1));
    assert_equal(argmax(s) to B, argmax(w));
    assert_close(softmax(s) to B, softmax(w));
    assert_close(softmax(c, dim = 0) to B, softmax(w, dim = 0));
    assert_close(log_softmax(s) to B, log_softmax(w), atol = 1e-5);
    assert_close(logsumexp(s) to B, logsumexp(w));
    assert_close(layernorm(s, ones([6]), zeros([6])) to B, layernorm(w, ones([6]), zeros([6])), rtol = 1e-3, atol = 1e-4);
    assert_close(rmsnorm(s, ones([6])) to B, rmsnorm(w, ones([6])), rtol = 1e-4);
}

test "contractions" {
    let a = uniform(rng(1), [10, 6]);
    let b = uniform(rng(2), [6, 8]);
    let x = a to @all : B;
    let y = b to @all : B;
    let z = x @ y;
    assert_close((a to @all : S(0)) @ y to B, z, rtol = 1e-4);
    assert_close(x @ (b to @all : S(1)) to B, z, rtol = 1e-4);
    assert_close((a to @all : S(1)) @ (b to @all : S(0)) to B, z, rtol = 1e-4);
    let q[i, j] = sum[k] x[i, k] * y[k, j];
    assert_close(q, z, rtol = 1e-4);
    let t = uniform(rng(3), [5, 4, 6]);
    let u = uniform(rng(4), [5, 6, 3]);
    let r = (t to @all : B) @ (u to @all : B);
    assert_close((t to @all : S(0)) @ (u to @all : S(0)) to B, r, rtol = 1e-4);
    assert_close((t to @all : S(1)) @ (u to @all : B) to B, r, rtol = 1e-4);
    assert_close((t to @all : S(2)) @ (u to @all : S(1)) to B, r, rtol = 1e-4);
    assert_close((t to @all : S(0)) @ y to B, (t to @all : B) @ y, rtol = 1e-4);
    assert_close(transpose(split(a)) to B, transpose(x));
    assert_close(outer(x[.., 0] to S(0), y[0]) to B, outer(x[.., 0], y[0]));
    assert_close((x[0] to S(0)) @ (x[1] to S(0)) to B, x[0] @ x[1], rtol = 1e-4);
}

test "data as indices" {
    let t = uniform(rng(1), [7, 3]);
    let i = floor(uniform(rng(2), [10], high = 7.0)) as i32;
    let whole = embed(t to @all : B, i to @all : B);
    assert_close(embed(t to @all : B, i to @all : S(0)) to B, whole);
    assert_close(embed(t to @all : S(0), i to @all : B) to B, whole);
    assert_close(embed(t to @all : S(1), i to @all : B) to B, whole);
    let u = uniform(rng(3), [10, 3]);
    let sums = scatter_add(i to @all : B, u to @all : B, 7);
    assert_close(scatter_add(i to @all : S(0), u to @all : S(0), 7) to B, sums, rtol = 1e-4);
    assert_close(scatter_add(i to @all : B, u to @all : S(1), 7) to B, sums, rtol = 1e-4);
    let firsts = scatter_add(i to @all : S(0), u[.., 0] to @all : S(0), 7) to B;           // rows may be numbers, or matrices
    let twice = scatter_add(i to @all : B, stack([u, u], dim = 1) to @all : S(2), 7) to B;
    assert_close(firsts, sums[.., 0], rtol = 1e-4);
    assert_close(twice[.., 1, ..], sums, rtol = 1e-4);
    assert_close(one_hot(i to @all : S(0), 7) to B, one_hot(i to @all : B, 7));
    assert_close(pick(u to @all : S(0), i % 3 to @all : S(0)) to B, pick(u to @all : B, i % 3 to @all : B));
    assert_close(whole[2..5], embed(t to @all : B, i[2..5] to @all : B));
}

test "windows and shapes" {
    let x = uniform(rng(1), [5, 2, 6, 6]);
    let w = uniform(rng(2), [4, 2, 3, 3]) to @all : B;
    let b = x to @all : B;
    let s = x to @all : S(0);
    assert_close(conv2d(s, w) to B, conv2d(b, w), rtol = 1e-4);
    assert_close(conv2d(b, w to S(0)) to B, conv2d(b, w), rtol = 1e-4);
    assert_close(conv2d(x to @all : S(1), w to S(1), stride = 2, pad = 1) to B, conv2d(b, w, stride = 2, pad = 1), rtol = 1e-4);
    assert_close(max_pool2d(s) to B, max_pool2d(b));
    assert_close(avg_pool2d(s) to B, avg_pool2d(b));
    assert_close(flatten(s) to B, flatten(b));
    assert_close(reshape(s, [5, 4, 18]) to B, reshape(b, [5, 4, 18]));
    assert_close(concat([s, s * 2.0]) to B, concat([b, b * 2.0]));
    assert_close(pad(s, before = 1, after = 1) to B, pad(b, before = 1, after = 1));
    assert_close(permute(s, [3, 1, 0, 2]) to B, permute(b, [3, 1, 0, 2]));
    assert_close(s[.., 1..3] to B, b[.., 1..3]);
    assert_close(b[3], x[3] to @all : B);
}

test "numbers drawn do not depend on the layout" {
    let u = uniform(rng(5), [9, 4]) to @all : B;
    assert_equal(uniform(rng(5), [9, 4]) to @all : S(0) to B, u);
    assert_equal(uniform(rng(5), [9, 4]) to @all : S(1) to B, u);
    assert_close(normal(rng(5), [9, 4]) to @all : S(0) to B, normal(rng(5), [9, 4]) to @all : B);
    let m[i, j] = if j <= i => 1.0 else 0.0 * u[i, j];
    let v = u to S(0);
    let n[i, j] = if j <= i => 1.0 else 0.0 * v[i, j];
    assert_equal(n to B, m);
    let h = u to S(1);
    let o[i, j] = i * 10 + j + (0.0 * h[i, j]) as i64;
    let p[i, j] = i * 10 + j + (0.0 * u[i, j]) as i64;
    assert_equal(o to B, p);
}
