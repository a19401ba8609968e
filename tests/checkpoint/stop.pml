// A run that signals stop: checkpoints where `every` says so, and where it is told to end.
import std.optim;
const N : int = 2;
config steps : int = 60;
config slow  : int = 0;      /// rounds that each step after the first waits
config after : int = 0;      /// rounds when all steps are done
place p = ranks(0..N);
param w : f32[6, 3] @ p : S(0) = normal(std = 0.1);
fn loss[n](x: f32[n, 6] @ p : S(0)) { return mean(square(tanh(x @ (w to B)))) to B; }
main {
    var spent = 0;
    for step in resume("ckpt")..steps {
        let (l, g) = value_and_grad(loss)(normal(rng(step), [8, 6]) to @p : S(0));
        optim.adamw(g, lr = 0.01);
        print(step, l);
        every 1000 { checkpoint("ckpt", step = step + 1, keep = 3); }
        for i in 0..slow { spent = (spent * 3 + i) % 1000003; }
    }
    print("steps done", steps);
    for i in 0..after { spent = (spent * 3 + i) % 1000003; }
    save("final.safetensors", states = true);
}
