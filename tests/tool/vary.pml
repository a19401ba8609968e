/* A mesh, a placement beside it, layouts declared and left out: for `pmlc test --vary-layouts`. */
place grid = ranks(0..4) as (dp = 2, tp = 2);
place side = ranks(1..3);

const N : int = 3;

param w : f32[6, 8] @ grid = normal(std = 0.5);
param v : f32[8, 4] @ grid : (tp=S(0)) = normal(std = 0.5);
state m : f32[5] @ side = ones();

test "a network" {
    let x = uniform(rng(7), [10, 6]) to @grid;
    let y = relu(x @ w) @ v to B;
    print(y[N]);
    print(sum(y * y));
}

test "gradients and states" {
    let x = uniform(rng(9), [10, 6]) to @grid;
    let f = iota(5) to @side;
    m = m * 2.0 + (f as f32);
    print("m", sum(m) to B, N);
}
