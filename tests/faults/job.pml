// A job that can be disturbed: two placements, a transfer in every direction, data, and a file that is saved.
import std.data;
import std.optim;

config dir    : path   = "data";              /// folder of the files images and labels
config out    : path   = "job.safetensors";   /// where parameters are saved
config epochs : int    = 2;                   /// passes over the data
config saves  : int    = 1;                   /// how often to save at the end
config lr     : f32    = 0.01;                /// learning rate
config note   : string = "none";              /// printed at the end

const WIDTH : int = 16;

place left  = ranks(0..2);
place right = ranks(2..4);

param w1 : f32[6, WIDTH]  @ left  : B    = normal(std = 0.05);
param w2 : f32[WIDTH, 10] @ right : S(0) = normal(std = 0.05);

fn objective[n](x: f32[n, 6] @ left : S(0)) -> f32 @ right : B {
    let h = tanh(x @ w1) to @right : S(1);
    return sum(square(h @ w2 to B));
}

main {
    let train = data.idx(dir / "images", dir / "labels") as (u8[_, 6], u8[_]);
    for epoch in 0..epochs {
        for (image, label) in data.batches(train, size = 7, shuffle = rng(epoch)) {
            let (l, g) = value_and_grad(objective)(image as f32 / 255.0 to @left : S(0));
            optim.sgd(g, lr = lr);
            every 100 { log(loss = l); }
        }
    }
    for i in 0..saves { save(out); }
    print("note", note);
}
