// Ranks that wait for nothing but the lines beside their own.
place p = ranks(0..4);
state u : f64[64, 32] @ p : S(0) = zeros();
op spread(a[i, j]) -> [i, j] = 0.5 * a[i, j] + 0.25 * a[i - 1, j] + 0.25 * a[i + 1, j];
main {
    for i in 0..100000000 {
        u = spread(u) to S(0);
        every 1000 { log(turn = i); }
    }
    print(sum(u) to B);
}
