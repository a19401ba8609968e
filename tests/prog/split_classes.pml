// Cross-entropy with the classes split over the ranks: a maximum and a sum per row travel, never the logits.
//% ranks 1 3 (2 4)
import std.loss;
import std.optim;
const N : int = 1;
place all = ranks(0..N);
param w : f32[16, 10] @ all : S(1) = normal(std = 0.5);
fn f[n](x: f32[n, 16] @ all : B, t: i32[n] @ all : B) -> f32 @ all : B {
    return loss.cross_entropy(x @ w, t) to B;
}
main {
    let x = uniform(rng(1), [12, 16]);
    let t = iota(12) % 10;
    for i in 0..3 {
        let (l, g) = value_and_grad(f)(x to @all : B, t as i32 to @all : B);
        optim.sgd(g, lr = 1.0);
        print(l, sum(g.w * g.w) to B);
    }
    print(sum(softmax((x to @all : B) @ w) * softmax((x to @all : B) @ w)) to B);
}
