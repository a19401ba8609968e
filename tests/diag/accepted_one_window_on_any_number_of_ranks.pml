// The sum over one window is taken by a function, and fetched for the `to` behind it, whatever the number of ranks: also where the rows of the
// window are dealt out as those of a tensor of its extent, on one rank and on as many as there are rows.
place one = ranks(0..1);
place two = ranks(0..2);
place five = ranks(0..5);
state x : f64[5, 5] @ one : S(1) = zeros();
state y : f64[5, 5] @ two : S(1) = zeros();
state z : f64[5, 5] @ five : S(1) = zeros();
op windows(a[i, 3 * j + u], w[u], j: int) -> [i, j] = sum[u] a * w;

main {
    let w = [1.0, -1.0, 0.5] as f64;
    print(tanh(windows(x, w, j = 1)) to S(1) to B);
    print(tanh(windows(y, w, j = 1)) to S(1) to B);
    print(tanh(windows(z, w, j = 1)) to S(1) to B);
}
