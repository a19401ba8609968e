// What is assigned to rows of a split tensor, and brought to where these are: on any mesh the values, and the gradients, of one rank.
//% layouts 0 1 (2) 3 4 (5)
//% also --loops=unrolled
//% also --verify-each --reproducible
const LAYOUT : int = 0;
const X : int = [1, 2, 3, 4, 2, 1][LAYOUT];
const Y : int = [1, 1, 1, 1, 2, 3][LAYOUT];
place p = ranks(0..X * Y) as (x = X, y = Y);
const rows : layout = S(0, shares = [[1], [5, 2], [2, 1, 2], [1, 0, 2, 3]][X - 1]);
state u : f64[9, 12] @ p : (x=S(0), y=S(1)) = zeros();
state v : f64[11, 12] @ p : (x=rows, y=S(1)) = zeros();
state e : f64[8, 12] @ p : (x=S(0), y=S(1)) = zeros();
state n : f64[11, 12] @ p : (x=S(0), y=S(0)) = zeros();

op third(x[i, j], k: int) -> [k, j] = x[3 * k, j];

// Rows of any cut, in a loop, of sums as well.
fn run(s: f64[9, 12] @ p : (x=S(0), y=S(1)), w: f64[11, 12] @ p : (x=rows, y=S(1)), e: f64[8, 12] @ p : (x=S(0), y=S(1)), a: f64[7, 6] @ p : (x=S(1)), b: f64[6, 10] @ p : (x=S(0))) -> f64 @ p : B {
    var h = s * 1.0;
    var g = w * 0.5;
    for t in 0..3 {
        h[..8] = (h[1..] - g[2..10]) to (x=S(0), y=S(1));
        h[2..6, 3..] += 0.5 * (h[..4, ..9] * h[5..9, 2..11]) to (x=S(0), y=S(1));
        g[1..9] -= e to (x=S(0), y=S(1));
        g[3..10, 1..11] *= (a @ b) to (x=S(0), y=S(1));
    }
    return sum(h * h) + sum(g * g) to B;
}

main {
    u = reshape((iota(108) % 13) as f64, [9, 12]);
    v = reshape((iota(132) % 7) as f64, [11, 12]);
    e = reshape((iota(96) % 5) as f64, [8, 12]);
    n = reshape((iota(132) % 11) as f64, [11, 12]);
    let a = reshape((iota(42) % 3) as f64 * 0.25, [7, 6]) to @p : (x=S(1));
    let b = reshape((iota(60) % 4) as f64 * 0.25, [6, 10]) to @p : (x=S(0));
    let (l, (du, dv, de, da, db)) = value_and_grad(run, wrt = [0, 1, 2, 3, 4])(u, v, e, a, b);
    print(l, sum(du * du) to B, sum(dv * dv) to B, sum(de * de) to B, sum(da * da) to B, sum(db * db) to B);

    // What has the layout already, what others have, too, one row, a row of which only the running program knows which.
    u[1..] = e to (x=S(0), y=S(1));
    let d = (u[1..] - u[..8]) to (x=S(0), y=S(1));
    u[..8] = d;
    print(sum(d * e) to B, u to B);
    v[4..5, 2..] = (u[8..9, ..10] + u[7..8, 1..11]) to (x=S(0), y=S(1));
    v[10, ..5] = 2.0 * u[0, 3..8] to (y=S(0));
    v[..3] = third(u, 3) to (x=S(0), y=S(1));
    let i = argmax(u[.., 0] to B, dim = 0) as int;
    v[i, ..] = (u[2, ..] * u[3, ..]) to (y=S(0));
    print(v to B);

    // Two axes that split one dimension, and a dimension that is split on none.
    n[1..9] = (n[2..10] * n[..8]) to (x=S(0), y=S(0));
    n[2..10] = e to (x=S(0), y=S(0));
    print(n to B);
}
