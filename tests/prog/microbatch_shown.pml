// What loops of as many turns as only the program knows print in micro-batches, beside others: the turns of each stand where they are asked for.
//% ranks 1 2 (3) (4)
//% also --reproducible
const N : int = 1;
place all = ranks(0..N);
config turns : int = 3;
param w : f64[4, 4] @ all = (reshape((iota(16) * 7 % 11) as f64, [4, 4]) - 5.0) * 0.05;
fn loss[n](x: f64[n, 4] @ all : S(0)) {
    var (h, k) = (x, 0);
    while k < turns { h = tanh(h @ w + 0.5); k = k + 1; }
    for i in 0..turns { h = h + 0.1 * (h @ w); print("turn", i); }
    return mean(square(h - 1.0)) to B;
}
main {
    let x = sin(reshape(iota(96) as f64, [24, 4])) to @all : S(0);
    let (l, g) = microbatch(2) { value_and_grad(loss)(x) };
    let (whole, gw) = value_and_grad(loss)(x);
    assert_close(l, whole, rtol = 1e-12);
    assert_close(g.w, gw.w, rtol = 1e-12);
    print(l);
}
