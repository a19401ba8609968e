/* A small training loop on a mesh: parts of every phase of a plan. */
import std.data;
import std.optim;

config dir : path = "d";

place grid = ranks(0..4) as (dp = 2, tp = 2);

const WIDTH : int = 64;

param w : f32[32, WIDTH] @ grid : (tp=S(1)) = normal(std = 0.1);
param v : f32[WIDTH, 8] @ grid : (tp=S(0)) = normal(std = 0.1);

fn objective[n](x: f32[n, 32] @ grid : (dp=S(0)), t: i32[n] @ grid : (dp=S(0))) -> f32 @ grid : B {
    let y = relu(x @ w) @ v to (dp=S(0));
    return mean((y - one_hot(t, 8)) ** 2.0) to B;
}

main {
    let train = data.npy(dir / "x.npy", dir / "t.npy") as (f32[_, 32], i32[_]);
    for epoch in 0..3 {
        for (x, t) in data.batches(train, size = 16) {
            let (l, g) = value_and_grad(objective)(x to @grid : (dp=S(0)), t to @grid : (dp=S(0)));
            optim.sgd(g, lr = 0.1);
            every 50 { log(loss = l); }
        }
        print(sum(w) to B);
    }
}
