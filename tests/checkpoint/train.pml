// A run that can be stopped and gone on with; what the suite compiles for several numbers of ranks.
import std.optim;
const N : int = 2;
const rows : layout = S(0);
config steps : int = 10;
config dir : path = "ckpt";
place p = ranks(0..N);
param w : f32[6, 3] @ p : rows = normal(std = 0.1);
fn loss[n](x: f32[n, 6] @ p : S(0)) { return mean(square(tanh(x @ (w to B)))) to B; }
main {
    for step in resume(dir)..steps {
        let (l, g) = value_and_grad(loss)(normal(rng(step), [8, 6]) to @p : S(0));
        optim.adamw(g, lr = 0.01);
        print(step, l);
        log(loss = l);
        checkpoint(dir, step = step + 1, keep = 3);
    }
    save("final.safetensors", states = true);
}
