// Running sums, products and maxima along each dimension, from either end, with what comes before or behind alone, in several
// layouts: of a split line every rank sums its part. The same written so that nothing runs (`by_parts`) is compared; NaN, infinities,
// gradients. The line is longer than a few vectors.
//% layouts 0 (1) 2 3
const LAYOUT: int = 0;
const DP: int = [1, 2, 1, 2][LAYOUT];
const TP: int = [1, 1, 3, 2][LAYOUT];
const N: int = 77;
place g = ranks(0..DP * TP) as (dp = DP, tp = TP);

op by_parts(a[.., j], n: int) -> [.., n] = sum[j] a * where(j < n || j == n, 1, 0);
op before(a[.., j], n: int) -> [.., n] = sum[j] where(n > j, a, 0);
op behind(a[.., j], n: int) -> [.., n] = sum[j] where(n >= j, 0, a);
op from(a[.., j], n: int) -> [.., n] = sum[j] where(n <= j, a, 0);
op ahead(a[.., j], n: int) -> [.., n] = sum[j] where(j - 20 <= n, a, 0);
op product(a[.., j], n: int) -> [.., n] = prod[j] where(j <= n, a, 1);
op greatest(a[.., j], n: int) -> [.., n] = max[j] where(j <= n, a, -1.0 / 0.0);
op least(a[.., j], n: int) -> [.., n] = min[j] where(j >= n, a, 1.0 / 0.0);

fn rows(x) { return sum(square(cumsum(x) to B)) to B; }
fn columns(x) { return sum(square(before(x, n = N, dim = 0) to B)) to B; }
fn parts(x) { return sum(square(by_parts(x, n = 6) to B)) to B; }

main {
    let m = (iota(N * 6) * 37) % 101 - 50;
    let wide = reshape(m, [6, N]) to @g;
    let x = reshape(m, [N, 6]) as f32 to @g;
    let s = x to (dp=S(0), tp=S(1));
    assert_equal(cumsum(wide to (tp=S(1))) to B, by_parts(wide, n = N));
    assert_equal(cumsum(wide to (dp=S(0))) to B, by_parts(wide, n = N));
    assert_equal(cumsum(s, dim = 0) to B, by_parts(x, n = N, dim = 0));
    assert_equal(cumsum(s) to B, by_parts(x, n = 6));
    assert_equal(before(s, n = N, dim = 0) to B, by_parts(x, n = N, dim = 0) - x);
    assert_equal(behind(s, n = N, dim = 0) to B, from(x, n = N, dim = 0) - x);
    print("from", from(s, n = 4) to B);
    print("ahead", ahead(s, n = 90, dim = 0) to B);
    print("products", product((x - 5.0) / 10.0 to (dp=S(0)), n = 6) to B);
    print("greatest", greatest(x to (dp=S(0)), n = N, dim = 0) to B);
    print("least", least(s, n = 6) to B);
    let holes = where(x == 20.0, x / 0.0 - x / 0.0, where(x == 33.0, x / 0.0, x));
    print("holes", cumsum(holes to (dp=S(0)), dim = 0)[8..40] to B, greatest(holes, n = N, dim = 0)[8..40]);
    print("rows", rows(x), grad(rows)(x) - grad(parts)(x));
    print("columns", columns(x), grad(columns)(x));
    print("half", cumsum((x % 3.0) as bf16, dim = 0)[60..66], cumsum((x % 3.0) as f16)[0..3]);
}
