// extent(k) in a position: known from a dimension at which k stands alone
op causal(x[n, t], k[w]) -> [n, t] = sum[w] x[n, t + w - (extent(w) - 1)] * k;
op half(x[n, t], k[w]) -> [n, t] = sum[w] x[n, t + w - extent(w) / 2] * k;     //~ PML0206@56
main {
    let x = ones([2, 4]);
    print(causal(x, ones([3])), half(x, ones([2])));
    print(half(x, ones([3])));
    let r[n, t] = x[n, extent(t) - 1 - t];     //~ PML0602@24
    print(r);
}
