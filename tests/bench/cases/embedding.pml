// The gradient of 64 rows of a table of 200000 rows of 32, and its update.
import std.optim;
const V : int = 200000;
const N : int = 64;
config steps : int = 200;
place all = ranks(0..1);
param table : f32[V, 32] @ all = normal(std = 0.05);
state ids : i32[N] @ all = zeros();
fn objective(ids: i32[N] @ all) -> f32 @ all { return mean(square(table[ids])); }
main {
    ids = randint(rng(1), [N], 0, V) to @all;
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(ids);
        optim.sgd(g, lr = 0.01);
    }
}
