// GPT-2 (Radford et al., 2019), by default the one of 124 million parameters: learned positions, biases, a head that shares the table of
// tokens. Reads and writes .safetensors files under GPT-2's usual names, and trains on a file of token numbers (u16), or of bytes.
//   pmlc gpt2.pml && mpiexec -n 2 ./gpt2 --from=gpt2/model.safetensors --text=tokens.bin    fine-tunes published weights, data-parallel
//   pmlc gpt2.pml -D 'grid=ranks(0..4) as (dp=2, tp=2)' && mpiexec -n 4 ./gpt2 ...          heads, hidden layers and tokens split too
//   pmlc gpt2.pml -D BYTES=true -D V=256 -D D=128 -D H=4 -D L=2 -D C=64 && mpiexec -n 2 ./gpt2    a small one on the bytes of a text
// Prints bits per token every 10 steps, and writes gpt2.safetensors at the end. A step of the large one on 4 * 64 tokens takes about a second
// on one core; 100 steps of the small one some seconds, from 8.1 bits down to 4.6.
import std.data;
import std.loss;
import std.nn;
import std.optim;

const D : int = 768;          // width
const H : int = 12;           // heads
const L : int = 12;           // layers
const C : int = 1024;         // positions
const V : int = 50257;        // tokens there are
const N : int = 4;            // examples in a step
const T : int = 64;           // tokens of each
const BYTES : bool = false;   // whether a token is a byte, or two
const K : int = D / H;

config from   : path = "";                                   /// weights to begin with; none: random ones
config into   : path = "gpt2.safetensors";                   /// where the weights go
config text   : path = "/usr/share/common-licenses/GPL-3";   /// tokens to learn
config steps  : int  = 100;                                  /// training steps
config lr     : f32  = 0.0003;                               /// highest rate of AdamW

place grid = ranks(0..2) as (dp = 2, tp = 1);

struct Block[p: place] {
    g1   : f32[D]          @ p = ones(),
    b1   : f32[D]          @ p = zeros(),
    wqkv : f32[3, H, D, K] @ p : (tp=S(1)) = normal(std = 0.02),
    bqkv : f32[3, H, K]    @ p : (tp=S(1)) = zeros(),
    wo   : f32[H, K, D]    @ p : (tp=S(0)) = normal(std = 0.02 / sqrt(2.0 * L)),
    bo   : f32[D]          @ p = zeros(),
    g2   : f32[D]          @ p = ones(),
    b2   : f32[D]          @ p = zeros(),
    wu   : f32[D, 4 * D]   @ p : (tp=S(1)) = normal(std = 0.02),
    bu   : f32[4 * D]      @ p : (tp=S(0)) = zeros(),
    wd   : f32[4 * D, D]   @ p : (tp=S(0)) = normal(std = 0.02 / sqrt(2.0 * L)),
    bd   : f32[D]          @ p = zeros()
}

param wte    : f32[V, D] @ grid = normal(std = 0.02);
param wpe    : f32[C, D] @ grid = normal(std = 0.01);
param blocks : [L] Block[grid];
param gf     : f32[D] @ grid = ones();
param bf     : f32[D] @ grid = zeros();

// The names and shapes of published files. GPT-2 keeps matrices as [in, out]; q, k and v stand beside each other in one.
names gpt2 {
    wte                        = "[transformer.]wte.weight";
    wpe                        = "[transformer.]wpe.weight";
    blocks[i].g1               = "[transformer.]h.{i}.ln_1.weight";
    blocks[i].b1               = "[transformer.]h.{i}.ln_1.bias";
    blocks[i].wqkv[c, h, d, k] = "[transformer.]h.{i}.attn.c_attn.weight"[d, D * c + K * h + k];
    blocks[i].bqkv[c, h, k]    = "[transformer.]h.{i}.attn.c_attn.bias"[D * c + K * h + k];
    blocks[i].wo[h, k, d]      = "[transformer.]h.{i}.attn.c_proj.weight"[K * h + k, d];
    blocks[i].bo               = "[transformer.]h.{i}.attn.c_proj.bias";
    blocks[i].g2               = "[transformer.]h.{i}.ln_2.weight";
    blocks[i].b2               = "[transformer.]h.{i}.ln_2.bias";
    blocks[i].wu               = "[transformer.]h.{i}.mlp.c_fc.weight";
    blocks[i].bu               = "[transformer.]h.{i}.mlp.c_fc.bias";
    blocks[i].wd               = "[transformer.]h.{i}.mlp.c_proj.weight";
    blocks[i].bd               = "[transformer.]h.{i}.mlp.c_proj.bias";
    gf                         = "[transformer.]ln_f.weight";
    bf                         = "[transformer.]ln_f.bias";
    _                          = "lm_head.weight";                           // wte once more
    _                          = "[transformer.]h.{i}.attn.bias";            // masks, which some files hold
    _                          = "[transformer.]h.{i}.attn.masked_bias";
}

fn block[n, t, p: place](x: f32[n, t, D] @ p : (dp=S(0)), w: Block[p]) -> f32[n, t, D] @ p : (dp=S(0)) {
    let a = layernorm(x, w.g1, w.b1);
    let z[c, n, h, t, k] = sum[d] a[n, t, d] * w.wqkv[c, h, d, k];     // heads split over tp, nothing moves
    let qkv[c, n, h, t, k] = z[c, n, h, t, k] + w.bqkv[c, h, k];
    let o = nn.attention(qkv[0], qkv[1], qkv[2]);
    let y[n, t, d] = sum[h, k] o[n, h, t, k] * w.wo[h, k, d];          // tp=P(sum)
    let r = x + (y to (dp=S(0))) + w.bo;
    let u = gelu_tanh(layernorm(r, w.g2, w.b2) @ w.wu + w.bu);         // tp=S(2)
    return r + (u @ w.wd to (dp=S(0))) + w.bd;
}

/// Scores of every next token: tokens[n, t] -> [n, t, V], the tokens split over tp.
fn logits[n, t](ids: i32[n, t] @ grid : (dp=S(0))) -> f32[n, t, V] @ grid : (dp=S(0), tp=S(2)) {
    var x = wte[ids] + wpe[0..t];
    for i in 0..L { x = block(x, blocks[i]); }
    let y = layernorm(x, gf, bf);
    let head = wte to (tp=S(0));                                       // a slice of what is there, nothing moves
    let z[n, t, v] = sum[d] y[n, t, d] * head[v, d];
    return z;
}

fn objective[n, t](ids: i32[n, t] @ grid : (dp=S(0)), next: i32[n, t] @ grid : (dp=S(0))) -> f32 @ grid : B {
    return loss.cross_entropy(logits(ids), next) to B;
}

fn examples() {
    if BYTES { return data.windows(text) as u8[_, T + 1]; }
    return data.windows(text) as u16[_, T + 1];
}

main {
    if from != "" { load(from, names = gpt2); }
    var step = 0;
    for piece in data.batches(examples(), size = N, shuffle = rng(0), steps = steps) {
        let ids = piece as i32 to @grid : (dp=S(0));
        let (l, g) = value_and_grad(objective)(ids[.., 0..T], ids[.., 1..T + 1]);
        optim.adamw(optim.clip_norm(g, 1.0), lr = optim.cosine(lr, step, steps, warmup = 10), beta2 = 0.95, weight_decay = 0.1);
        every 10 { log(bits = l / 0.6931472); }
        step += 1;
    }
    save(into, names = gpt2);
}
