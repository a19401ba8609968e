// 26 fields of a table of a million rows of 16 and 13 numbers, through 256-64-1; 2048 rows a step.
import std.optim;
const V : int = 1000000;
const E : int = 16;
const F : int = 26;
const B : int = 2048;
const X : int = 13;
const ADAM : bool = false;
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 30;
place all = ranks(0..1);
param table : f32[V, E] @ all = normal(std = 0.05);
param w1 : f32[F * E + X, 256] @ all = normal(std = 0.05);
param b1 : f32[256] @ all = zeros();
param w2 : f32[256, 64] @ all = normal(std = 0.05);
param b2 : f32[64] @ all = zeros();
param w3 : f32[64] @ all = normal(std = 0.05);
state ids : i32[4, B, F] @ all = zeros();
state x : f32[B, X] @ all = zeros();
state t : f32[B] @ all = zeros();
fn objective(ids: i32[B, F] @ all, x: f32[B, X] @ all, t: f32[B] @ all) -> f32 @ all {
    let e = reshape(table[ids], [B, F * E]);
    let h = relu(concat([e, x]) @ w1 + b1);
    let z = relu(h @ w2 + b2) @ w3;
    return mean(softplus(z) - z * t);
}
main {
    ids = randint(rng(1), [4, B, F], 0, V) to @all;
    x = uniform(rng(2), [B, X]) to @all;
    t = bernoulli(rng(3), [B], 0.5) as f32 to @all;
    for i in 0..steps {
        let (l, g) = mixed FACTORS { value_and_grad(objective)(ids[i % 4], x, t) };
        if ADAM { optim.adam(g, lr = 0.001); } else { optim.sgd(g, lr = 0.01); }
    }
}
