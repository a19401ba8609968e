// A run that is disturbed anywhere: steps with messages between all ranks, checkpoints, a saved file.
import std.optim;
const N : int = 2;
config steps : int = 40;
place p = ranks(0..N);
param w : f32[12, 4] @ p : S(0) = normal(std = 0.1);
fn loss[n](x: f32[n, 12] @ p : S(0)) { return mean(square(tanh(x @ (w to B)))) to B; }
main {
    for step in resume("ckpt")..steps {
        let (l, g) = value_and_grad(loss)(normal(rng(step), [8, 12]) to @p : S(0));
        optim.adamw(g, lr = 0.01);
        every 10 { checkpoint("ckpt", step = step + 1, keep = 3); }
        print(step + 1, l);
    }
    save("final.safetensors", states = true);
    print("steps done", steps);
}
