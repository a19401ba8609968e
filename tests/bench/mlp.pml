// The network of the benchmark: 784-512-512-10 with relu, cross-entropy and plain SGD, 64 images a rank and step.
//   pmlc -D N=2 mlp.pml && mpiexec -n 2 ./mlp --steps=500
import std.data;
import std.loss;
import std.optim;

const N : int = 1;                 /// ranks
const LOCAL : int = 64;            /// images a rank and step

config dir : path = "/usr/share/datasets/fashion-mnist";   /// folder of the IDX files
config epochs : int = 1;                                   /// passes over the training set

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
    let train = data.idx(dir / "train-images-idx3-ubyte.gz", dir / "train-labels-idx1-ubyte.gz") as (u8[_, 784], u8[_]);
    for epoch in 0..epochs {
        for (image, label) in data.batches(train, size = LOCAL * N, shuffle = rng(epoch)) {
            let x = image as f32 / 255.0;
            let (l, g) = value_and_grad(objective)(x to @all : S(0), label as i32 to @all : S(0));
            optim.sgd(g, lr = 0.01);
            every 500 { log(loss = l); }
        }
    }
}
