// extent(k) in positions; the greatest and the least over several factors. Values: expected.py (numpy).
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);

op causal(x[n, t], k[w]) -> [n, t] = sum[w] x[n, t + w - (extent(w) - 1)] * k;
op same(x[n, t], k[w]) -> [n, t] = sum[w] x[n, t + w - floor_div(extent(w), 2)] * k;
op shifted(x[n, t], k[w]) -> [n, t] = sum[w] x[n, t + w - extent(w) / 2] * k;

main {
    let x = reshape(iota(32), [8, 4]) as f32 to @p : S(0);
    let k = [1.0, 10.0, 100.0] as f32 to @p;
    print(causal(x, k) to B, same(x, k) to B, shifted(x, k[0..2]) to B);
    let c[n, t] = sum[w] x[n, t + w - (extent(w) - 1)] * k[w];
    print(c to B);
    let y = reshape(iota(96) * 37 % 96, [4, 4, 6]) as f32 to @p : S(0);
    let most[n] = argmax[i, j] y[n, i, j];
    let least[n] = argmin[j, i] y[n, i, j];
    let whole = y to B;
    let where_most = argmax[n, i, j] whole[n, i, j];
    let equal[n] = argmax[i, j] (whole[n, i, j] * 0.0);
    print(most to B, least to B, where_most, equal);
    let best[n, m] = argmin[i, j] (whole[n, i, j] - 20.0 * m as f32) * (whole[n, i, j] - 20.0 * m as f32) * k[m];
    print(best);
    // Windows leave as many points as the narrowest has, whichever stands first.
    let line = iota(9) to @p : S(0);
    let pairs[j] = line[2 * j] + line[2 * j + 1];
    let again[j] = line[2 * j + 1] + line[2 * j];
    let taps = [1, 10, 100] as i64;
    let around[j] = sum[w] line[j + w] * taps[w] + line[j - 1];
    print(pairs to B, again to B, around to B);
    // One over a factor that another window settles comes behind it.
    let behind[j] = sum[w] taps[w + 1] * line[j + w];
    let ahead[j] = sum[w] line[j + w] * taps[w + 1];
    print(behind to B, ahead to B);
}
