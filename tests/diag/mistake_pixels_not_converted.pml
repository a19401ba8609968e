import std.data;
import std.loss;
import std.optim;
place left  = ranks(0..2);
place right = ranks(2..4);
param w : f32[8, 4] @ left = normal(std = 0.1);
param c : f32[4]    @ left = zeros();
fn objective[n](x: f32[n, 8] @ left : S(0), t: i32[n] @ left : S(0)) -> f32 @ left : B {
    return loss.cross_entropy(x @ w + c, t) to B;
}

main {
    let d = data.idx("x", "y") as (u8[_, 8], i32[_]);
    for (image, t) in data.batches(d, size = 16) {
        let x = image / 255.0;    //~ PML0202
        let g = grad(objective)(x to @left : S(0), t to @left : S(0));
        optim.sgd(g, lr = 0.1);
    }
}
