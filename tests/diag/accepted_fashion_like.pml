import std.data;
import std.loss;
import std.metrics;
import std.nn;
import std.optim;
config lr : f32 = 0.1;
place left  = ranks(0..2);
place right = ranks(2..4);
param w1 : f32[16, 8] @ left  : B    = nn.he();
param w2 : f32[8, 4]  @ right : S(0) = nn.xavier();
fn forward[n](x: f32[n, 16] @ left : S(0)) -> f32[n, 4] @ right : B {
    let g = relu(x @ w1) to @right : S(1);
    return (g @ w2) to B;
}
fn objective[n](x: f32[n, 16] @ left : S(0), t: i32[n] @ right : B) -> f32 @ right : B {
    return loss.cross_entropy(forward(x), t);
}
main {
    let d = data.csv("x.csv", columns = [16, 1]) as (f32[_, 16], i32[_]);
    for (x, t) in data.batches(d, size = 12) {
        let (l, g) = value_and_grad(objective)(x to @left : S(0), t to @right : B);
        optim.sgd(g, lr = lr, momentum = 0.9, weight_decay = 0.01);
        every 10 { log(loss = l); }
    }
}
