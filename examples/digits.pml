// Data-parallel training on 1797 images of digits, 8 x 8 pixels, for any number of ranks.
//   pmlc -D N=4 examples/digits.pml -o digits && mpiexec -n 4 ./digits
import std.data;
import std.loss;
import std.metrics;
import std.nn;
import std.optim;

config file   : path = "examples/data/digits.csv.gz";   /// 64 pixels (0 to 16) and the digit, one image a line
config epochs : int  = 30;                              /// passes over the training set
config lr     : f32  = 0.1;                             /// learning rate

const N : int = 1;
place all_ranks = ranks(0..N);

param w1 : f32[64, 64] @ all_ranks = nn.he();
param c1 : f32[64]     @ all_ranks = zeros();
param w2 : f32[64, 10] @ all_ranks = nn.he();
param c2 : f32[10]     @ all_ranks = zeros();

/// Pixels to scores, one for each digit.
fn forward(x) {
    let h = relu(nn.linear(x, w1, c1));
    return nn.linear(h, w2, c2);
}

fn objective(x, t) {
    return loss.cross_entropy(forward(x), t) to B;
}

main {
    let images = data.csv(file, columns = [64, 1]) as (f32[1797, 64], i32[1797]);
    let train = images[0..1500];
    let test = images[1500..1797];
    for epoch in 0..epochs {
        for (image, digit) in data.batches(train, size = 50, shuffle = rng(epoch)) {
            let (l, g) = value_and_grad(objective)(image / 16.0 to @all_ranks : S(0), digit to @all_ranks : S(0));
            optim.sgd(g, lr = lr, momentum = 0.9);
            every 30 { log(loss = l); }
        }
    }
    var right_ones = 0;
    for (image, digit) in data.batches(test, size = 297) {
        let y = forward(image / 16.0 to @all_ranks : S(0));
        right_ones += metrics.correct(y, digit to @all_ranks : S(0)) to B;
    }
    print("test accuracy", right_ones / 297);
    save("digits.safetensors");
}

test "the loss of equal scores is log 10" {
    let t = iota(10) as i32;
    assert_close(loss.cross_entropy(zeros([10, 10]), t), 2.302585);
}

test "splitting the batch changes nothing" {
    let x = uniform(rng(1), [12, 64]) to @all_ranks : B;
    assert_close(forward(x to S(0)) to B, forward(x), rtol = 1e-5, atol = 1e-6);
}
