// The reference network on two placements: data-parallel on the left, tensor-parallel on the right.
//% fold 1 (2) 4
//% rtol 1e-4
//% bits net
//% out net.out
import std.data;
import std.loss;
import std.optim;

config dir : path = "/usr/share/datasets/fashion-mnist";   /// folder of the IDX files
place left  = ranks(0..2);
place right = ranks(2..4);

param w1 : f32[784, 64] @ left  : B    = normal(std = 0.05);
param c1 : f32[64]      @ left  : B    = zeros();
param w2 : f32[64, 10]  @ right : S(0) = normal(std = 0.05);
param c2 : f32[10]      @ right : B    = zeros();

fn objective[n](x: f32[n, 784] @ left : S(0), t: i32[n] @ right : B) -> f32 @ right : B {
    let h = relu(x @ w1 + c1);
    let g = h to @right : S(1);
    let y = g @ w2;
    return loss.cross_entropy((y to B) + c2, t);
}
fn w1_sum() -> f32 @ left : B { return sum(w1 * w1); }
fn w2_sum() -> f32 @ right : B { return sum(w2 * w2) to B; }

main {
    let all_rows = data.idx(dir / "t10k-images-idx3-ubyte.gz", dir / "t10k-labels-idx1-ubyte.gz") as (u8[_, 784], u8[_]);
    let train = data.slice(all_rows, 0, 2560);
    for epoch in 0..2 {
        for (image, label) in data.batches(train, size = 128, shuffle = rng(epoch)) {
            let x = image as f32 / 255.0;
            let (l, g) = value_and_grad(objective)(x to @left : S(0), label as i32 to @right : B);
            optim.sgd(g, lr = 0.05, momentum = 0.9);
            let a = w1_sum();
            let b = w2_sum();
            print("loss", l, "w1", a, "w2", b);
            log(loss = l, w1 = a, w2 = b);
        }
    }
    save("net.safetensors");
}
