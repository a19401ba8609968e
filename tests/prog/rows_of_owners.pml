// A slice of one row as a line stays on the rank that has the row, the first, the last and those between; functions take it, and it is shared out, sent
// to all, and differentiated from there. Its zeros keep their signs.
//% ranks 1 2 3 (4 8)
//% rtol 1e-12
const N : int = 1;
place p = ranks(0..N);
param w : f64[13, 6] @ p : S(0) = normal();
state v : f64[6] @ p : S(0) = reshape((iota(6) % 4) as f64, [6]);

fn row(r: int) { return reshape(w[r..r + 1], [6]); }

fn f(r: int) {
    let shared = tanh(row(r)) to S(0);
    let whole = exp(row(r)) * 2.0 to B;
    return (sum(shared * v) to B) + sum(whole * whole);
}

main {
    let (a, g) = value_and_grad(f)(0);
    let (b, h) = value_and_grad(f)(7);
    let (c, k) = value_and_grad(f)(12);
    print(a, g.w[0] to B, sum(abs(g.w)) to B);
    print(b, h.w[7] to B, sum(abs(h.w)) to B);
    print(c, k.w[12] to B, sum(abs(k.w)) to B);
    let z = where(w > 0.0, 0.0, -0.0);
    print(1.0 / (reshape(z[0..1], [6]) to S(0) to B), 1.0 / (-reshape(z[12..13], [6]) to B));
}
