// 26 fields of a table of a million rows of 16 and 13 numbers, through 256-64-1; 2048 rows a step.
import std.optim;
const V : int = 1000000;
const E : int = 16;
const F : int = 26;
const B : int = 2048;
const N : int = 1;   /// ranks, which share the rows of the table and those of a step
const X : int = 13;
const ADAM : bool = false;
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 30;
place all = ranks(0..N);
param table : f32[V, E] @ all : S(0) = normal(std = 0.05);
param w1 : f32[F * E + X, 256] @ all = normal(std = 0.05);
param b1 : f32[256] @ all = zeros();
param w2 : f32[256, 64] @ all = normal(std = 0.05);
param b2 : f32[64] @ all = zeros();
param w3 : f32[64] @ all = normal(std = 0.05);
state ids : i32[4, B, F] @ all : S(1) = zeros();
state x : f32[B, X] @ all : S(0) = zeros();
state t : f32[B] @ all : S(0) = zeros();
fn objective(ids: i32[B, F] @ all : S(0), x: f32[B, X] @ all : S(0), t: f32[B] @ all : S(0)) -> f32 @ all {
    let e = reshape(table[ids to B] to S(0), [B, F * E]);
    let h = relu(concat([e, x]) @ w1 + b1);
    let z = relu(h @ w2 + b2) @ w3;
    return mean(softplus(z) - z * t) to B;
}
main {
    ids = randint(rng(1), [4, B, F], 0, V) to @all : S(1);
    x = uniform(rng(2), [B, X]) to @all : S(0);
    t = bernoulli(rng(3), [B], 0.5) as f32 to @all : S(0);
    for i in 0..steps {
        let (l, g) = mixed FACTORS { value_and_grad(objective)(ids[i % 4], x, t) };
        if ADAM { optim.adam(g, lr = 0.001); } else { optim.sgd(g, lr = 0.01); }
    }
}
