op sqdist(a[m, k], b[n, k]) -> [m, n] = sum[k] (a - b) * (a - b);
op leaky(a[..], slope: float = 0.01) -> [..] = max(a, 0) + slope * min(a, 0);
op moving(x[i + k], w[k]) -> [i] = sum[k] x * w;
op shift(x[n], by: int) -> [n] = x[n - by];
main {
    let x = ones([4, 3]);
    print(sum(sqdist(x, 2.0 * x)), sum(leaky(-x)), sum(leaky(x, slope = 0.1)));
    print(sum(moving(ones([8]), ones([3]))), sum(shift(ones([5]), by = 2)));
}
