//% ranks 1 (2) 3 (4)
//% rtol 1e-3
// Training with factors of f16 and a scaled loss: what would be zeros is there, what is not finite is left out.
import std.optim;

const N : int = 4;
place all = ranks(0..N);

param w : f32[64, 64] @ all : B = normal(std = 0.2);
state scale : optim.LossScale[all];

fn small[n](x: f32[n, 64] @ all : S(0)) -> f32 @ all : B { return 1e-9 * (sum(square(x @ w)) to B); }
fn objective[n](x: f32[n, 64] @ all : S(0)) { return scale.factor * small(x); }
fn far(x, y) { return sum(abs(x - y)) / sum(abs(y)); }

main {
    for i in 0..6 {
        let x = normal(rng(i), [33, 64]) to @all : S(0);
        let (l, g) = mixed f16 { value_and_grad(objective)(if i == 2 => 1e9 * x else x) };
        let (fits, h) = optim.unscaled(g, scale, patience = 2);
        if i != 2 {
            let exact = grad(small)(x);
            let without = mixed f16 { grad(small)(x) };
            print("lost", far(without.w, exact.w) > 0.9, far(h.w, exact.w) < 0.01);
        }
        let before = w;
        if fits { optim.sgd(h, lr = 1000.0); }
        print(i, fits, scale.factor, scale.steps, max(abs(w - before)) > 0.0, sum(abs(w)));
    }
}
