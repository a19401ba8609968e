// A small model with everything a produced program shows: configs of all types, prints, logs, progress, a test in the end.
import std.data;
import std.loss;
import std.optim;

const N : int = 1;

config dir    : path   = "d/plain";          /// folder of the files images and labels
config epochs : int    = 2;                  /// passes over the data
config lr     : f32    = 0.5;                /// learning rate
config means  : bool   = false;              /// print the mean, too
config tests  : bool   = false;              /// count batches
config name   : string = "model";            /// printed first
config out    : path   = "";                 /// where parameters are saved; not at all if empty

place all = ranks(0..N);

param w : f32[6, 10] @ all = normal(std = 0.5);
param b : f32[10]    @ all = zeros();

fn objective[n](x: f32[n, 6] @ all : S(0), t: i32[n] @ all : S(0)) -> f32 @ all : B {
    return loss.cross_entropy(x @ w + b, t) to B;
}

main {
    let train = data.idx(dir / "images", dir / "labels") as (u8[_, 6], u8[_]);
    print("model", name);
    for epoch in 0..epochs {
        var batches = 0;
        for (image, label) in data.batches(train, size = 7, shuffle = rng(epoch)) {
            batches += 1;
            let (l, g) = value_and_grad(objective)(image as f32 / 255.0 to @all : S(0), label as i32 to @all : S(0));
            optim.sgd(g, lr = lr);
            log(loss = l, epoch = epoch, note = name);
        }
        if tests { print("epoch", epoch, "of", batches, "batches"); }
    }
    if tests {
        var tested = 0;
        for (image, label) in data.batches(train, size = 7) { tested += 1; }
        print("tested", tested);
    }
    if means { print("mean", mean(w)); }
    print("weights", format(sum(w), significant = 4), format(sum(w * w), significant = 4));
    if out != "" { save(out); }
}
