// 784-512-512-10 with relu, cross-entropy and SGD, on drawn images.
import std.loss;
import std.optim;
const N : int = 1;    /// ranks
const B : int = 64;   /// images a step, of all ranks
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 100;
place all = ranks(0..N);
param w1 : f32[784, 512] @ all = normal(std = 0.05);
param b1 : f32[512]      @ all = zeros();
param w2 : f32[512, 512] @ all = normal(std = 0.05);
param b2 : f32[512]      @ all = zeros();
param w3 : f32[512, 10]  @ all = normal(std = 0.05);
param b3 : f32[10]       @ all = zeros();
state x : f32[B, 784] @ all : S(0) = zeros();
state t : i32[B]      @ all : S(0) = zeros();
fn objective(x: f32[B, 784] @ all : S(0), t: i32[B] @ all : S(0)) -> f32 @ all {
    let h = relu(x @ w1 + b1);
    let g = relu(h @ w2 + b2);
    return loss.cross_entropy(g @ w3 + b3, t) to B;
}
main {
    x = uniform(rng(1), [B, 784]) to @all : S(0);
    t = randint(rng(2), [B], 0, 10) to @all : S(0);
    for i in 0..steps {
        let (l, g) = mixed FACTORS { value_and_grad(objective)(x, t) };
        optim.sgd(g, lr = 0.01);
    }
}
