// Stencils by slices that are assigned: on any mesh the values, and the gradients, of one rank.
//% layouts 0 1 2 (3) (4)
//% also --loops=unrolled
const LAYOUT : int = 0;
const X : int = [1, 2, 2, 3, 1][LAYOUT];
const Y : int = [1, 1, 2, 1, 4][LAYOUT];
const N : int = 14;
place p = ranks(0..X * Y) as (x = X, y = Y);
state u : f32[N, N] @ p : (x=S(0), y=S(1)) = zeros();

fn run(s: f32[N, N] @ p : (x=S(0), y=S(1))) -> f32 @ p : B {
    var u = s * 1.0;
    for t in 0..3 {
        let around = u[0..N - 2, 1..N - 1] + u[2..N, 1..N - 1] + u[1..N - 1, 0..N - 2] + u[1..N - 1, 2..N];
        u[1..N - 1, 1..N - 1] += 0.125 * (around - 4.0 * u[1..N - 1, 1..N - 1]) to (x=S(0), y=S(1));
    }
    return sum(u * u * s) to B;
}

main {
    u = reshape((iota(N * N) % 13) as f32, [N, N]);
    let (l, g) = value_and_grad(run, wrt = [0])(u);
    print(l, sum(g * g) to B);
    u[2..5, 3..N] = u[0..3, 0..N - 3] to (x=S(0), y=S(1));
    u[0, 0..N] = 1.0;
    print(sum(u * u) to B);
    u[2..N, 0..N - 1] -= 2.0 * u[0..N - 2, 1..N] to (x=S(0), y=S(1));
    u[N - 1, 1..N] *= u[0, 0..N - 1] to (y=S(0));
    print(sum(u * u) to B);
    for t in 0..4 { u[1..N - 1, 0..N] = 0.5 * (u[0..N - 2, 0..N] + u[2..N, 0..N]) to (x=S(0), y=S(1)); }
    print(u to B);
}
