// A placement of two axes: data-parallel in one, tensor-parallel in the other, in several shapes. Values: expected.py (torch).
//% layouts 0 1 (2) 3 (4 5)
//% rtol 1e-4
//% bits grid
const LAYOUT : int = 0;
const DP : int = [1, 2, 2, 1, 4, 3][LAYOUT];
const TP : int = [1, 2, 1, 3, 1, 1][LAYOUT];
place grid = ranks(0..DP * TP) as (dp = DP, tp = TP);
param w : f32[6, 4] @ grid : (tp=S(1)) = reshape((iota(24) * 7 % 11) as f32 * 0.1, [6, 4]) - 0.4;
param c : f32[4] @ grid : (tp=S(0)) = full(0.1);
param v : f32[4, 3] @ grid : (tp=S(0)) = reshape((iota(12) * 5 % 7) as f32 * 0.1, [4, 3]) - 0.2;

fn loss[n](x: f32[n, 6] @ grid : (dp=S(0))) -> f32 @ grid {
    let h = relu(x @ w + c);
    let y = h @ v to (dp=S(0));
    return mean(y * y) to B;
}

main {
    let x = reshape((iota(30) % 13) as f32 * 0.1, [5, 6]) to @grid : (dp=S(0));
    let (l, g) = value_and_grad(loss)(x);
    print(l, g.w to B, g.c to B, g.v to B);
    each (p, d) in g { p = p - 0.5 * d; }
    print(loss(x), w to B);
    let t = reshape(iota(35) as f32, [7, 5]) to @grid : (dp=S(0), tp=S(1));
    print(sum(t) to B, sum(t, dim = 0) to B, max(t, dim = 1) to B, t to (dp=S(1), tp=S(0)) to B, t to (tp=S(0)) to B);
    let u = iota(7) as f32 to @grid : (dp=S(0), tp=S(0));
    print(u to B, u to (tp=S(0)) to B, (u to (dp=P, tp=S(0))) to B, (u to (dp=S(0), tp=P)) to (dp=S(0)) to B, sum(u * u) to B);
    let part = u to @grid[dp = 0] : S(0);
    print(part to @grid : B, (t to B)[2..6, 1] to (dp=S(0), tp=P) to B);
    print(((uniform(rng(3), [5]) to @grid : (dp=S(0), tp=S(0))) to B) == (uniform(rng(3), [5]) to @grid));
}
