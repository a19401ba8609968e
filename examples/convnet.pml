// A small convolutional network on Fashion-MNIST: blocks of convolution, group norm and relu, data-parallel.
//   pmlc convnet.pml && mpiexec -n 2 ./convnet                                   two ranks
//   pmlc convnet.pml -D 'all_ranks=ranks(0..4)' && mpiexec -n 4 ./convnet        four
// Prints the loss every 50 steps and the accuracy on the test images after every pass, which takes about eleven seconds on two cores
// (accuracy 0.88 after the first); --images=6000 takes a tenth of them.
import std.data;
import std.loss;
import std.metrics;
import std.nn;
import std.optim;

const N : int = 100;          // images in a step
const C : int = 8;            // channels of the first block

config dir    : path = "/usr/share/datasets/fashion-mnist";   /// folder of the IDX files
config epochs : int  = 1;                                     /// passes over the training set
config images : int  = 60000;                                 /// how many of its images
config tests  : int  = 10000;                                 /// how many of the test images
config lr     : f32  = 0.002;                                 /// highest rate of AdamW

place all_ranks = ranks(0..2);

struct Conv[i, o, p: place] {
    k     : f32[o, i, 3, 3] @ p = nn.he(),
    scale : f32[o] @ p = ones(),
    shift : f32[o] @ p = zeros()
}

param first  : Conv[1, C, all_ranks];
param second : Conv[C, 2 * C, all_ranks];
param third  : Conv[2 * C, 4 * C, all_ranks];
param w      : f32[4 * C * 49, 10] @ all_ranks = nn.lecun();
param b      : f32[10] @ all_ranks = zeros();

fn conv[n, i, o, y, z, p: place](x: f32[n, i, y, z] @ p, c: Conv[i, o, p]) {
    return nn.conv_block(x, c.k, c.scale, c.shift, groups = 4);
}

/// Scores of the ten classes: x[n, 1, 28, 28] -> [n, 10].
fn forward[n](x: f32[n, 1, 28, 28] @ all_ranks : S(0)) {
    let h = max_pool2d(conv(x, first));          // [n, C, 14, 14]
    let g = max_pool2d(conv(h, second));         // [n, 2 C, 7, 7]
    return nn.linear(flatten(conv(g, third)), w, b);
}

fn objective[n](x: f32[n, 1, 28, 28] @ all_ranks : S(0), t: i32[n] @ all_ranks : S(0)) {
    return loss.cross_entropy(forward(x), t, smoothing = 0.05) to B;
}

main {
    let train = data.idx(dir / "train-images-idx3-ubyte.gz", dir / "train-labels-idx1-ubyte.gz") as (u8[_, 1, 28, 28], u8[_]);
    let test  = data.idx(dir / "t10k-images-idx3-ubyte.gz",  dir / "t10k-labels-idx1-ubyte.gz")  as (u8[_, 1, 28, 28], u8[_]);
    let total = epochs * floor_div(images, N);
    var step = 0;
    for epoch in 0..epochs {
        for (image, label) in data.batches(data.slice(train, 0, images), size = N, shuffle = rng(epoch)) {
            let x = image as f32 / 255.0 to @all_ranks : S(0);
            let (l, g) = value_and_grad(objective)(x, label as i32 to @all_ranks : S(0));
            optim.adamw(g, lr = optim.cosine(lr, step, total, warmup = 20));
            every 50 { log(loss = l); }
            step += 1;
        }
        var right = 0;
        for (image, label) in data.batches(data.slice(test, 0, tests), size = N) {
            let y = forward(image as f32 / 255.0 to @all_ranks : S(0));
            right += metrics.correct(y, label as i32 to @all_ranks : S(0)) to B;
        }
        print("epoch", epoch, "test accuracy", right / tests);
    }
    save("convnet.safetensors");
}
