// Params of 8 MB, none of which fills a huge page; trains for as long as it may, and says when it has begun.
import std.optim;

place p = ranks(0..1);
param a : f32[512, 512] @ p = normal(std = 0.01);
param b : f32[512, 512] @ p = normal(std = 0.01);
param c : f32[512, 512] @ p = normal(std = 0.01);
param d : f32[512, 512] @ p = normal(std = 0.01);
param e : f32[512, 512] @ p = normal(std = 0.01);
param f : f32[512, 512] @ p = normal(std = 0.01);
param g : f32[512, 512] @ p = normal(std = 0.01);
param h : f32[512, 512] @ p = normal(std = 0.01);

fn all(x: f32[8, 512] @ p) -> f32 @ p { return mean(tanh(x @ a @ b @ c @ d @ e @ f @ g @ h)); }

main {
    let x = ones([8, 512]) to @p;
    for i in 0..1000000 {
        optim.sgd(grad(all)(x), lr = 0.1);
        if i == 1 { print("trains"); }
    }
}
