//% test 1 2 (4)
// bf16 and f16: every operator computes in f32 and rounds once, values and derivatives, however long its body is; sums, products
// and means have one rounding of what is added up, too. Against the same operators of f32.
import std.nn;
place all = ranks(0..4);

op long(a[..], b[..]) -> [..] = 0.3 * a * (1.7 - b) + a / (1.1 + b * b) - 0.0625 * b;
op squares(a[i, k], b[j, k]) -> [i, j] = sum[k] (a - b) * (a - b);
op farthest(a[i, k], b[j, k]) -> [i, j] = max[k] 0.3 * (a - b) * (a - b);
op beyond(a[..], b[..]) -> [..]: bool = 0.3 * a > 0.3 * b + 0.1;
op running(a[.., j], n: int) -> [.., n] = sum[j] where(j <= n, 0.3 * a, 0);
op counted(i[n]: int, u[n], rows: int) -> [i < rows] = sum[n] 0.3 * u;

fn inputs(dtype: dtype) { return (normal(rng(1), [40, 8]) as dtype to @all : S(0)); }
fn each_of(f, dtype: dtype) {
    let x = inputs(dtype);
    let (y, g) = vjp(f)(x, inputs(dtype));
    let (z, h) = vjp(f)(x as f32, (inputs(dtype)) as f32);
    assert_equal(y as f32, (z as dtype) as f32);
    assert_equal(g as f32, (h as dtype) as f32);
}
op log2_above(x[..]) -> [..] = 0.7 * log2(0.5 + x * x);
fn all_of(dtype: dtype) {
    each_of(gelu, dtype);
    each_of(gelu_tanh, dtype);
    each_of(silu, dtype);
    each_of(softplus, dtype);
    each_of(sinh, dtype);
    each_of(asinh, dtype);
    each_of(log2_above, dtype);
    each_of(nn.mish, dtype);
    each_of(nn.selu, dtype);
    each_of(nn.hard_swish, dtype);
    each_of(nn.hard_sigmoid, dtype);
    let x = inputs(dtype);
    let (y, w) = (x to B, (x + 0.25 as dtype) to B);
    assert_equal(long(y, w) as f32, (long(y as f32, w as f32) as dtype) as f32);
    assert_equal(squares(y, w) as f32, (squares(y as f32, w as f32) as dtype) as f32);
    assert_equal(farthest(y, w) as f32, (farthest(y as f32, w as f32) as dtype) as f32);
    assert_equal(beyond(y, w), beyond(y as f32, w as f32));
    assert_equal(running(y, n = 8) as f32, (running(y as f32, n = 8) as dtype) as f32);
    let ids = iota(40) % 3;
    assert_equal(counted(ids, y[.., 0], rows = 3) as f32, (counted(ids, y[.., 0] as f32, rows = 3) as dtype) as f32);
}

fn far(y) { return sum(farthest(y, 0.5 * y)); }
fn totals(dtype: dtype, rtol) {
    let many = (0.001 * (1.0 + iota(5000) as f32) to @all : S(0)) as dtype;
    let small = (many * 1e-4) as dtype;
    assert_close(sum(many to B) as f32, sum((many to B) as f32), rtol = rtol, atol = 0.0);
    assert_close(mean(many) as f32 to B, mean(many as f32) to B, rtol = rtol, atol = 0.0);
    assert_close(mean(many to B) as f32, mean((many to B) as f32), rtol = rtol, atol = 0.0);
    assert_close(mean(small) as f32 to B, mean(small as f32) to B, rtol = rtol, atol = 0.0);
    let columns = reshape(many to B, [1000, 5]);
    assert_close(sum(columns, dim = 0) as f32, sum(columns as f32, dim = 0), rtol = rtol, atol = 0.0);
    assert_close(cumsum(many to B) as f32, cumsum((many to B) as f32), rtol = rtol, atol = 0.0);
    assert_close(prod(many[900..1100] to B) as f32, prod((many[900..1100] to B) as f32), rtol = rtol, atol = 0.0);
}

// Filters' gradients add up over images, one product after the other, and are rounded once, on each rank.
fn filters(x, k) { return conv2d(x, k, pad = 1); }
fn gradients_of_filters(dtype: dtype, rtol) {
    let x = normal(rng(2), [40, 4, 6, 5]) as dtype to @all : S(0);
    let k = normal(rng(3), [8, 4, 3, 3]) as dtype to @all : B;
    let out = normal(rng(4), [40, 8, 6, 5]) as dtype to @all : S(0);
    let (y, (gx, gk)) = vjp(filters)(x, k, out);
    let (z, (hx, hk)) = vjp(filters)(x as f32, k as f32, out as f32);
    assert_close(gx as f32, hx, rtol = rtol, atol = rtol);
    assert_close(gk as f32, hk, rtol = rtol, atol = 80.0 * rtol);
}
test "gradients of filters in bf16" { gradients_of_filters(bf16, 0.004); }
test "gradients of filters in f16" { gradients_of_filters(f16, 0.0005); }

test "bf16" { all_of(bf16); }
test "f16" { all_of(f16); }
test "sums of bf16" { totals(bf16, 0.004); }
test "sums of f16" { totals(f16, 0.0005); }

// The mean of numbers whose sum is beyond the largest f16.
test "mean of large numbers" { assert_close(mean(full(60000.0, [100], dtype = f16) to @all : S(0)) as f32 to B, 60000.0, rtol = 0.001, atol = 0.0); }

// Who reaches the maximum is found by the rounded values.
test "derivative of a maximum" {
    let y = inputs(bf16) to B;
    let (v, g) = vjp(far)(y, 1.0 as bf16);
    assert(sum(abs(g)) as f32 > 1.0);
    assert(all(is_finite(g)));
}
