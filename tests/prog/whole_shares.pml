//% fold 1 2 4
// Shares that leave all to one rank: what is cut so is the same there as what it was cut from, also for a sum of each row that the
// kernel of its reader makes on the way, forward, in derivatives, and on the way back to parts of sums.
place p = ranks(0..4);
place g = ranks(0..4) as (dp = 2, tp = 2);

op row_sums(y[n, g, c]) -> [n, g] = sum[c] y;
op scaled(d[n, g, c], v[n, g], s[g, c]) -> [n, g, c] = d * v * s;

fn steep(x, s) { return sum(tanh(scaled(x, row_sums(x * x), s)) ** 2.0) to B; }
fn behind(x, s) {
    let y = scaled(x, row_sums(x * x), s);
    return sum(sin(y to (dp=P, tp=P) to B)) to B;
}

main {
    let x = sin(reshape(iota(48), [6, 4, 2]) as f64);
    let s = cos(reshape(iota(8), [4, 2]) as f64);
    let only = s to @p : S(0, shares = [0, 1, 0, 0]);
    let (l, d) = value_and_grad(steep, wrt = (0, 1))(x to @p, only);
    print(l, sum(abs(d[0])) to B, sum(abs(d[1])) to B);
    print(hessian_vector(steep_of_one, x to @p, cos(x) to @p)[1] to B);
    let inner = s to @g : (dp=S(0), tp=S(0, shares = [1, 0]));
    print(steep(x to @g : (dp=S(1)), inner), sum(abs(grad(steep, wrt = 0)(x to @g : (dp=S(1)), inner))) to B);
    print(behind(x to @g : (dp=S(1)), inner), sum(abs(grad(behind, wrt = 1)(x to @g : (dp=S(1)), inner))) to B);
}
fn steep_of_one(x) { return steep(x, cos(reshape(iota(8), [4, 2]) as f64) to @p : S(0, shares = [1, 0, 0, 0])); }
