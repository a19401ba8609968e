// A two-layer classifier on Fashion-MNIST: data-parallel on `left`, tensor-parallel on `right`.
//   pmlc fashion.pml && mpiexec -n 4 ./fashion --epochs=3
import std.data;
import std.loss;
import std.metrics;
import std.optim;

config dir    : path = "/usr/share/datasets/fashion-mnist";   /// folder of the IDX files
config epochs : int  = 3;                                     /// passes over the training set
config lr     : f32  = 0.1;                                   /// learning rate

place left  = ranks(0..2);
place right = ranks(2..4);

param w1 : f32[784, 256] @ left  : B    = normal(std = 0.05);
param c1 : f32[256]      @ left  : B    = zeros();
param w2 : f32[256, 10]  @ right : S(0) = normal(std = 0.05);
param c2 : f32[10]       @ right : B    = zeros();

fn forward[n](x: f32[n, 784] @ left : S(0)) -> f32[n, 10] @ right : B {
    let h = relu(x @ w1 + c1);        // f32[n, 256] @ left : S(0)
    let g = h to @right : S(1);
    let y = g @ w2;                   // f32[n, 10] @ right : P(sum)
    return (y to B) + c2;
}

fn objective[n](x: f32[n, 784] @ left : S(0), t: i32[n] @ right : B) -> f32 @ right : B {
    return loss.cross_entropy(forward(x), t);
}

main {
    let train = data.idx(dir / "train-images-idx3-ubyte.gz", dir / "train-labels-idx1-ubyte.gz") as (u8[_, 784], u8[_]);
    let test  = data.idx(dir / "t10k-images-idx3-ubyte.gz",  dir / "t10k-labels-idx1-ubyte.gz")  as (u8[_, 784], u8[_]);
    for epoch in 0..epochs {
        for (image, label) in data.batches(train, size = 256, shuffle = rng(epoch)) {
            let x = image as f32 / 255.0;
            let (l, g) = value_and_grad(objective)(x to @left : S(0), label as i32 to @right : B);
            optim.sgd(g, lr = lr, momentum = 0.9);
            every 50 { log(loss = l); }
        }
        var right_ones = 0;
        for (image, label) in data.batches(test, size = 500) {
            let y = forward(image as f32 / 255.0 to @left : S(0));
            right_ones += metrics.correct(y, label as i32 to @right : B);
        }
        print("epoch", epoch, "test accuracy", right_ones / 10000);
    }
    save("fashion.safetensors");
}

test "splitting the hidden layer changes nothing" {
    let x = uniform(rng(1), [12, 784]);
    let h = relu((x to @left : B) @ w1 + c1) to @right : B;
    assert_close(forward(x to @left : S(0)), h @ (w2 to B) + c2, rtol = 1e-5, atol = 1e-5);
}
