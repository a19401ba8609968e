// A mixture of experts: a small transformer on the bytes of a text, whose hidden layers are 8 experts of which each byte asks two. The experts
// are split over the ranks, and so is the batch; bytes travel to their experts and back by all-to-alls. A byte for which an expert has no place
// left (CAPACITY in each example) passes by; the balance loss keeps them evenly used.
//   pmlc moe.pml && mpiexec -n 2 ./moe                                               experts on two ranks
//   pmlc moe.pml -D 'grid=ranks(0..4) as (dp=4, tp=1)' && mpiexec -n 4 ./moe         on four
// Prints bits per byte and the balance (1: all experts are asked alike) every 20 steps: from 8.1 bits down to about 3.1 in 200 steps, which take
// some fifteen seconds on two cores.
import std.data;
import std.loss;
import std.metrics;
import std.nn;
import std.optim;
import std.parallel;

const D : int = 128;          // width
const H : int = 4;            // heads
const L : int = 2;            // layers
const E : int = 8;            // experts in each
const F : int = 256;          // hidden width of one
const CHOICES : int = 2;      // experts that a byte asks
const CAPACITY : int = 20;    // places of an expert in an example: T * CHOICES / E would do if all were asked alike
const T : int = 64;           // bytes of context
const V : int = 256;          // bytes there are
const N : int = 16;           // examples in a step
const K : int = D / H;

config text  : path = "/usr/share/common-licenses/GPL-3";   /// text to learn
config steps : int  = 200;                                  /// training steps
config lr    : f32  = 0.001;                                /// highest rate of AdamW

place grid = ranks(0..2) as (dp = 2, tp = 1);

struct Block[p: place] {
    g1   : f32[D] @ p = ones(),
    wqkv : f32[3, H, D, K] @ p = normal(std = 0.02),
    wo   : f32[H, K, D]    @ p = normal(std = 0.02),
    g2   : f32[D] @ p = ones(),
    gate : f32[D, E]       @ p = normal(std = 0.02),
    up   : f32[E, D, F]    @ p : (dp=S(0)) = normal(std = 0.02),
    down : f32[E, F, D]    @ p : (dp=S(0)) = normal(std = 0.02)
}

param wte    : f32[V, D] @ grid = normal(std = 0.02);
param wpe    : f32[T, D] @ grid = normal(std = 0.02);
param blocks : [L] Block[grid];
param gf     : f32[D] @ grid = ones();
param head   : f32[D, V] @ grid = normal(std = 0.02);

/// What the experts say of x[n, T, D], and how evenly they are asked.
fn mixture[n, p: place](x: f32[n, T, D] @ p : (dp=S(0)), w: Block[p]) {
    let (table, place, weight, balance) = nn.route(x @ w.gate, k = CHOICES, capacity = CAPACITY);
    let z = parallel.to_experts(nn.dispatch(x, table, experts = E));
    let y = nn.experts(gelu_tanh(nn.experts(z, w.up)), w.down);
    return (nn.combine(parallel.from_experts(y), place, weight, k = CHOICES), balance);
}

fn block[n, p: place](x: f32[n, T, D] @ p : (dp=S(0)), w: Block[p]) {
    let a = rmsnorm(x, w.g1);
    let qkv[c, n, h, t, k] = sum[d] a[n, t, d] * w.wqkv[c, h, d, k];
    let o = nn.attention(nn.rotary(qkv[0]), nn.rotary(qkv[1]), qkv[2]);
    let y[n, t, d] = sum[h, k] o[n, h, t, k] * w.wo[h, k, d];
    let r = x + y;
    let (z, balance) = mixture(rmsnorm(r, w.g2), w);
    return (r + z, balance);
}

/// The cross entropy of the next bytes, and the mean balance of the layers.
fn model[n](ids: i32[n, T] @ grid : (dp=S(0)), next: i32[n, T] @ grid : (dp=S(0))) {
    var x = wte[ids] + wpe;
    var balance = 0.0;
    for i in 0..L {
        let (y, b) = block(x, blocks[i]);
        x = y;
        balance = balance + b / L;
    }
    return (loss.cross_entropy(rmsnorm(x, gf) @ head, next) to B, balance);
}

fn objective[n](ids: i32[n, T] @ grid : (dp=S(0)), next: i32[n, T] @ grid : (dp=S(0))) -> f32 @ grid : B {
    let (l, balance) = model(ids, next);
    return l + 0.01 * balance;
}

main {
    let examples = data.windows(text) as u8[_, T + 1];
    var step = 0;
    for piece in data.batches(examples, size = N, shuffle = rng(0), steps = steps) {
        let ids = piece as i32 to @grid : (dp=S(0));
        let (l, g) = value_and_grad(objective)(ids[.., 0..T], ids[.., 1..T + 1]);
        optim.adamw(optim.clip_norm(g, 1.0), lr = optim.cosine(lr, step, steps, warmup = 20), weight_decay = 0.1);
        every 20 {
            let (bits, balance) = model(ids[.., 0..T], ids[.., 1..T + 1]);
            log(bits = metrics.bits(bits), balance = balance);
        }
        step += 1;
    }
    save("moe.safetensors");
}
