// Trained weights as whole numbers of 8 bits in a file of their own, a third of the bytes, and what 8 and 4 bits cost in accuracy.
//   pmlc examples/quantise.pml && ./quantise                                  trains the network of examples/digits.pml first
//   pmlc examples/quantise.pml && ./quantise --trained=digits.safetensors     takes what examples/digits.pml has saved
import std.data;
import std.loss;
import std.metrics;
import std.nn;
import std.optim;

config file    : path = "examples/data/digits.csv.gz";   /// 64 pixels (0 to 16) and the digit, one image a line
config trained : string = "";                            /// weights of f32; none: the network is trained here
config result  : path = "digits-i8.safetensors";         /// what becomes of them
config epochs  : int  = 30;                              /// passes over the training set, if it is

const N : int = 1;
const GROUP : int = 16;                                  // rows of a column that share a scale
place all_ranks = ranks(0..N);

param w1 : f32[64, 64] @ all_ranks = nn.he();
param c1 : f32[64]     @ all_ranks = zeros();
param w2 : f32[64, 10] @ all_ranks = nn.he();
param c2 : f32[10]     @ all_ranks = zeros();

struct Whole[k, n, p: place] {
    q     : i8[k / GROUP, GROUP, n] @ p = zeros(),
    scale : f32[k / GROUP, n]       @ p = zeros()
}
state first  : Whole[64, 64, all_ranks];
state second : Whole[64, 10, all_ranks];

names whole {
    first.q = "w1.q";
    first.scale = "w1.scale";
    c1 = "c1";
    second.q = "w2.q";
    second.scale = "w2.scale";
    c2 = "c2";
    w1 = none;
    w2 = none;
}

fn forward(x) {
    return nn.linear(relu(nn.linear(x, w1, c1)), w2, c2);
}

fn objective(x, t) {
    return loss.cross_entropy(forward(x), t) to B;
}

// The same with weights as (q, scale), of 8 or 4 bits.
fn forward_whole(x, one, two) {
    let (q1, scale1) = one;
    let (q2, scale2) = two;
    return nn.quantized(relu(nn.quantized(x, q1, scale1) + c1), q2, scale2) + c2;
}

main {
    let images = data.csv(file, columns = [64, 1]) as (f32[1797, 64], i32[1797]);
    if trained == "" {
        for epoch in 0..epochs {
            for (image, digit) in data.batches(images[0..1500], size = 50, shuffle = rng(epoch)) {
                let g = grad(objective)(image / 16.0 to @all_ranks : S(0), digit to @all_ranks : S(0));
                optim.sgd(g, lr = 0.1, momentum = 0.9);
            }
        }
    } else {
        load(trained);
    }

    (first.q, first.scale) = nn.quantize(w1, group = GROUP);
    (second.q, second.scale) = nn.quantize(w2, group = GROUP);
    save(result, names = whole);
    load(result, names = whole);

    let halves1 = nn.quantize(w1, group = GROUP, bits = 4);
    let halves2 = nn.quantize(w2, group = GROUP, bits = 4);

    var right_ones = 0;
    var right_whole = 0;
    var right_halves = 0;
    for (image, digit) in data.batches(images[1500..1797], size = 297) {
        let x = image / 16.0 to @all_ranks : S(0);
        let t = digit to @all_ranks : S(0);
        right_ones += metrics.correct(forward(x), t) to B;
        right_whole += metrics.correct(forward_whole(x, (first.q, first.scale), (second.q, second.scale)), t) to B;
        right_halves += metrics.correct(forward_whole(x, halves1, halves2), t) to B;
    }
    print("test accuracy", right_ones / 297, "in 8 bits", right_whole / 297, "in 4 bits", right_halves / 297);
}
