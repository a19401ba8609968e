// A run over batches, in pass after pass, that can be stopped and gone on with: where it is, is the number of batches it took.
import std.data;
import std.optim;
const N : int = 2;
config corpus : path = "corpus";
config steps : int = 10;
config dir : path = "ckpt";
place p = ranks(0..N);
param w : f32[16, 3] @ p : S(0) = normal(std = 0.1);
fn loss[n](x: f32[n, 16] @ p : S(0)) { return mean(square(tanh(x @ (w to B)))) to B; }
main {
    let text = data.windows(corpus, stride = 8) as u8[_, 16];
    var step = resume(dir);
    for x in data.batches(text, size = 6, shuffle = rng(0), first = step, steps = steps) {
        let (l, g) = value_and_grad(loss)(x as f32 / 255.0 to @p : S(0));
        optim.adamw(g, lr = 0.01);
        step += 1;
        print(step, l, sum(x as i64 to @p : S(0)) to B);
        checkpoint(dir, step = step, keep = 3);
    }
    save("final.safetensors", states = true);
}
