// Cross-entropy of 1024 rows over 50257 classes, with the gradient of the logits and their update.
import std.loss;
import std.optim;
const N : int = 1024;
const V : int = 50257;
config steps : int = 5;
place all = ranks(0..1);
param x : f32[N, V] @ all = normal(std = 1.0);
state t : i32[N] @ all = zeros();
fn objective(t: i32[N] @ all) -> f32 @ all { return loss.cross_entropy(x, t); }
main {
    t = randint(rng(1), [N], 0, V) to @all;
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(t);
        optim.sgd(g, lr = 0.001);
    }
}
