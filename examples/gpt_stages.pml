// The network of gpt.pml in stages: 4 layers of width 128, as many on each stage, micro-batches, AdamW with warm-up and cosine.
//   pmlc gpt_stages.pml && mpiexec -n 2 ./gpt_stages                          a pipeline of two stages, 4 micro-batches
//   pmlc gpt_stages.pml -D 'grid=ranks(0..4) as (pp=2, dp=1, tp=2)' && mpiexec -n 4 ./gpt_stages    each stage tensor-parallel
//   pmlc gpt_stages.pml -D 'grid=ranks(0..1) as (pp=1, dp=1, tp=1)' && mpiexec -n 1 ./gpt_stages    one rank
// Prints bits per byte, the same in all of these: about 3.3 after the 300 steps it takes by default (20 s on two quiet cores). Stopped by
// --steps or killed, it goes on from its last checkpoint, with another number of stages too.
import std.data;
import std.loss;
import std.nn;
import std.optim;

const D : int = 128;          // width
const H : int = 4;            // heads
const L : int = 4;            // layers
const T : int = 64;           // bytes of context
const V : int = 256;          // bytes there are
const K : int = D / H;
const M : int = 4;            // micro-batches of a step

config corpus : path = "/usr/share/common-licenses/GPL-3";   /// text to learn
config steps  : int  = 300;                                  /// training steps
config lr     : f32  = 0.001;                                /// highest rate of AdamW
config folder : path = "gpt-stages";                    /// where a run goes on from

place grid  = ranks(0..2) as (pp = 2, dp = 1, tp = 1);
place front = grid[pp = 0];
place back  = grid[pp = grid.pp - 1];

struct Block[p: place] {
    g1   : f32[D] @ p = ones(),
    b1   : f32[D] @ p = zeros(),
    wqkv : f32[3, H, D, K] @ p : (tp=S(1)) = normal(std = 0.02),
    wo   : f32[H, K, D]    @ p : (tp=S(0)) = normal(std = 0.02),
    g2   : f32[D] @ p = ones(),
    b2   : f32[D] @ p = zeros(),
    wu   : f32[D, 4 * D]   @ p : (tp=S(1)) = normal(std = 0.02),
    wd   : f32[4 * D, D]   @ p : (tp=S(0)) = normal(std = 0.02)
}

param wte    : f32[V, D] @ front = normal(std = 0.02);
param wpe    : f32[T, D] @ front = normal(std = 0.02);
param blocks : [i in 0..L] Block[grid[pp = floor_div(i * grid.pp, L)]];
param gf     : f32[D] @ back = ones();
param bf     : f32[D] @ back = zeros();
param head   : f32[D, V] @ back : (tp=S(1)) = normal(std = 0.02);

fn block[n, p: place](x: f32[n, T, D] @ p : (dp=S(0)), w: Block[p]) -> f32[n, T, D] @ p : (dp=S(0)) {
    let a = layernorm(x, w.g1, w.b1);
    let qkv[c, n, h, t, k] = sum[d] a[n, t, d] * w.wqkv[c, h, d, k];   // heads split over tp, nothing moves
    let o = nn.attention(qkv[0], qkv[1], qkv[2]);
    let y[n, t, d] = sum[h, k] o[n, h, t, k] * w.wo[h, k, d];          // tp=P(sum)
    let r = x + (y to (dp=S(0)));
    let u = gelu_tanh(layernorm(r, w.g2, w.b2) @ w.wu);                // tp=S(2)
    return r + (u @ w.wd to (dp=S(0)));
}

fn model[n](tokens: i32[n, T] @ front : (dp=S(0)), targets: i32[n, T] @ back : (dp=S(0))) -> f32 @ back : B {
    var x = wte[tokens] + wpe;
    for i in 0..L { x = block(x to @grid[pp = floor_div(i * grid.pp, L)], blocks[i]); }   // moves where a stage begins
    let z = layernorm(x, gf, bf) @ head;                                // classes split over tp
    return loss.cross_entropy(z, targets) to B;
}

main {
    let text = data.windows(corpus) as u8[_, T + 1];
    var step = resume(folder);
    var bits = 0.0;
    for piece in data.batches(text, size = 16, shuffle = rng(0), first = step, steps = steps) {
        let ids = piece as i32;
        let (l, g) = microbatch(M) {
            value_and_grad(model)(ids[.., 0..T] to @front : (dp=S(0)), ids[.., 1..T + 1] to @back : (dp=S(0)))
        };
        optim.adamw(optim.clip_norm(g, 1.0), lr = optim.cosine(lr, step, steps, warmup = 20), beta2 = 0.95, weight_decay = 0.1);
        every 10 {
            bits = l / 0.6931472;
            log(bits = bits);
        }
        step += 1;
        if step % 500 == 0 { checkpoint(folder, step = step); }
    }
    print("bits per byte", bits);
}
