// The reference network, data-parallel: the same losses on any number of ranks, and in net_tensor and net_two.
//% long
//% ranks 1 2 3 4
//% rtol 1e-4
//% bits net
//% out net.out
import std.data;
import std.loss;
import std.optim;

config dir : path = "/usr/share/datasets/fashion-mnist";   /// folder of the IDX files
const N : int = 1;
place all = ranks(0..N);

param w1 : f32[784, 64] @ all = normal(std = 0.05);
param c1 : f32[64]      @ all = zeros();
param w2 : f32[64, 10]  @ all = normal(std = 0.05);
param c2 : f32[10]      @ all = zeros();

fn objective[n](x: f32[n, 784] @ all : S(0), t: i32[n] @ all : S(0)) -> f32 @ all : B {
    let h = relu(x @ w1 + c1);
    return loss.cross_entropy(h @ w2 + c2, t) to B;
}
fn w1_sum() -> f32 @ all : B { return sum(w1 * w1); }
fn w2_sum() -> f32 @ all : B { return sum(w2 * w2); }

main {
    let all_rows = data.idx(dir / "t10k-images-idx3-ubyte.gz", dir / "t10k-labels-idx1-ubyte.gz") as (u8[_, 784], u8[_]);
    let train = data.slice(all_rows, 0, 2560);
    for epoch in 0..2 {
        for (image, label) in data.batches(train, size = 128, shuffle = rng(epoch)) {
            let x = image as f32 / 255.0;
            let (l, g) = value_and_grad(objective)(x to @all : S(0), label as i32 to @all : S(0));
            optim.sgd(g, lr = 0.05, momentum = 0.9);
            let a = w1_sum();
            let b = w2_sum();
            print("loss", l, "w1", a, "w2", b);
            log(loss = l, w1 = a, w2 = b);
        }
    }
    save("net.safetensors");
}
