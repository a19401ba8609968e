// One step of the benchmark's network on random rows, as the peer takes it: from the start of the process to the first step's end.
//   pmlc first.pml && ./first
import std.loss;
import std.optim;

const N : int = 1;                 /// ranks
const LOCAL : int = 64;            /// images a rank and step

place all = ranks(0..N);

param w1 : f32[784, 512] @ all = normal(std = 0.05);
param b1 : f32[512]      @ all = zeros();
param w2 : f32[512, 512] @ all = normal(std = 0.05);
param b2 : f32[512]      @ all = zeros();
param w3 : f32[512, 10]  @ all = normal(std = 0.05);
param b3 : f32[10]       @ all = zeros();

fn objective[n](x: f32[n, 784] @ all : S(0), t: i32[n] @ all : S(0)) -> f32 @ all : B {
    let h = relu(x @ w1 + b1);
    let g = relu(h @ w2 + b2);
    return loss.cross_entropy(g @ w3 + b3, t) to B;
}

main {
    let x = uniform(rng(1), [LOCAL * N, 784]);
    let t = iota(LOCAL * N) % 10;
    let (l, g) = value_and_grad(objective)(x to @all : S(0), t as i32 to @all : S(0));
    optim.sgd(g, lr = 0.01);
    print("loss", l);
}
