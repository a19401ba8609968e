// What programs with messages between neighbours do, with gradients: rings both ways, shards of few or no rows, halos over several neighbours,
// causal convolutions, coarser and finer grids, slices that meet, derivatives of derivatives.
//% ranks 1 3 (2 4 8)
//% rtol 1e-9
const N : int = 1;
place p = ranks(0..N);
param w : f64[24, 6] @ p : S(0) = normal();
param b : f64[8, 4] @ p : S(0) = normal();
param few : f64[5, 4] @ p : S(0) = normal();
param k : f64[4, 3] @ p : B = normal();
state x : f64[24, 6] @ p : S(0) = reshape(((iota(144) * 7) % 23) as f64 / 10.0, [24, 6]);
state u : f64[2, 4, 24] @ p : S(2) = reshape((iota(192) % 9) as f64, [2, 4, 24]);

op far(u[i, j]) -> [i, j] = u[i - 9, j] * u[i + 9, j] + u[i - 9, j];
op beside(u[i, j]) -> [i, j] = u[i - 1, j] * u[i, j] * u[i + 1, j];
op causal(u[n, c, t], k[c, a]) -> [n, c, t] = sum[a] u[n, c, t - a] * k[c, a];
op dilated(u[i, j], k[i, a]) -> [i, j] = sum[a] u[i + 0, j + 2 * a - 2] * k[i, a];
op coarser(x[i, j], n: int) -> [n, j] = x[2 * n, j] * x[2 * n + 1, j];
op finer(x[i, j], n: int) -> [n, j] = x[n / 2, j];

fn rings() {
    var (left, right) = (b, b);
    var s = 0.0;
    for hop in 0..3 {
        left = remat { roll(left, 1, dim = 0) to S(0) };
        right = remat { roll(right, -1, dim = 0) to S(0) };
        s = s + sum(left * right * b);
    }
    return s to B;
}
fn of_few() {
    let y = beside(few) to S(0);
    let z = roll(y, 3, dim = 0) to S(0);
    return sum(z * few * few) to B;
}
fn over_many() { return sum(square(far(w) to S(0)) * x) to B; }
fn convolved() { return sum(square(causal(u, k) to S(2))) to B; }
fn grids() {
    let y = coarser(w, 12) to S(0);
    let z = finer((y[1..] - y[..11]) to S(0), 22) to S(0);
    return sum(z * (x[..22] + w[2..]) to S(0)) to B;
}
fn met() {
    let d = relu(w[1..] - x[..23]) to S(0);
    return sum(d * d) + sum(concat([w[12..], w[..12]], dim = 0) * x to S(0)) to B;
}
fn by_any(by: int) { return sum(square(roll(w, by, dim = 0) to S(0)) * x) to B; }
fn steepness() {
    let g = grad(over_many)();
    return sum(g.w * g.w) to B;
}

fn size(v) { return sum(v * v) to B; }

main {
    let (l1, g1) = value_and_grad(rings)();
    let (l2, g2) = value_and_grad(of_few)();
    let (l3, g3) = value_and_grad(over_many)();
    let (l4, g4) = value_and_grad(convolved)();
    let (l5, g5) = value_and_grad(grids)();
    let (l6, g6) = value_and_grad(met)();
    let (l7, g7) = value_and_grad(steepness)();
    print(l1, size(g1.b), g1.b[3] to B);
    print(l2, size(g2.few), g2.few[4] to B);
    print(l3, size(g3.w), g3.w[3] to B);
    print(l4, g4.k[2]);
    print(l5, size(g5.w), g5.w[21] to B);
    print(l6, size(g6.w), g6.w[12] to B);
    print(l7, size(g7.w), g7.w[23] to B);
    for by in -1..2 {
        let g = grad(by_any)(12 * by);
        print((roll(x, by, dim = 0) to S(0))[2] to B, size(g.w), g.w[13] to B);
    }
    print(argmax(x, dim = 1)[20] to B, sum(dilated(few, few[.., 0..3]) to S(0)) to B);
}
