// Llama (Touvron et al., 2023): rmsnorm, rotary positions, grouped queries, silu gates. Reads and writes .safetensors files under the names
// that published Llama weights have, in one file or several with an index; 16-bit floats become f32. By default a small one on bytes.
//   pmlc llama.pml && mpiexec -n 2 ./llama                                                  data-parallel on two ranks
//   pmlc llama.pml -D 'grid=ranks(0..4) as (dp=2, tp=2)' && mpiexec -n 4 ./llama            heads, hidden layers and tokens split too
//   pmlc llama.pml -D V=32000 -D D=2048 -D H=32 -D G=4 -D F=5632 -D L=22 -D BYTES=false     the sizes of TinyLlama 1.1B; then
//       mpiexec -n 2 ./llama --from=FOLDER --text=tokens.bin                                fine-tunes what lies in FOLDER
// Prints bits per token every 20 steps: from 8.1 down to about 3.5 in the 200 steps of the small one, which take some ten seconds; writes
// llama.safetensors at the end.
import std.data;
import std.loss;
import std.nn;
import std.optim;

const D : int = 128;          // width
const H : int = 8;            // heads of queries
const G : int = 2;            // heads of keys and values
const K : int = D / H;        // width of a head
const F : int = 352;          // hidden width
const L : int = 4;            // layers
const V : int = 256;          // tokens there are
const N : int = 8;            // examples in a step
const T : int = 64;           // tokens of each
const BASE : float = 10000.0; // of the rotation; Llama 3 has 500000
const EPS : float = 0.00001;  // of the norms
const BYTES : bool = true;    // whether a token is a byte, or two
const KV : layout = S(1);     // keys and values: split over tp like their heads; B where tp has more ranks than these (-D KV=B)

config from  : path = "";                                   /// weights to begin with: a file, an index or a folder; none: random ones
config into  : path = "llama.safetensors";                  /// where the weights go
config text  : path = "/usr/share/common-licenses/GPL-3";   /// tokens to learn
config steps : int  = 200;                                  /// training steps
config lr    : f32  = 0.001;                                /// highest rate of AdamW

place grid = ranks(0..2) as (dp = 2, tp = 1);

struct Block[p: place] {
    g1   : f32[D]       @ p = ones(),
    wq   : f32[D, H, K] @ p : (tp=S(1)) = normal(std = 0.02),
    wk   : f32[D, G, K] @ p : (tp=KV) = normal(std = 0.02),
    wv   : f32[D, G, K] @ p : (tp=KV) = normal(std = 0.02),
    wo   : f32[H, K, D] @ p : (tp=S(0)) = normal(std = 0.02 / sqrt(2.0 * L)),
    g2   : f32[D]       @ p = ones(),
    gate : f32[D, F]    @ p : (tp=S(1)) = normal(std = 0.02),
    up   : f32[D, F]    @ p : (tp=S(1)) = normal(std = 0.02),
    down : f32[F, D]    @ p : (tp=S(0)) = normal(std = 0.02 / sqrt(2.0 * L))
}

param table  : f32[V, D] @ grid = normal(std = 0.02);
param blocks : [L] Block[grid];
param gf     : f32[D] @ grid = ones();
param head   : f32[D, V] @ grid : (tp=S(1)) = normal(std = 0.02);

// The names and shapes of published files: matrices are kept as [out, in]. Where there is no head, it is the table of tokens.
names hub {
    table                 = "model.embed_tokens.weight";
    blocks[i].g1          = "model.layers.{i}.input_layernorm.weight";
    blocks[i].wq[d, h, k] = "model.layers.{i}.self_attn.q_proj.weight"[K * h + k, d];
    blocks[i].wk[d, h, k] = "model.layers.{i}.self_attn.k_proj.weight"[K * h + k, d];
    blocks[i].wv[d, h, k] = "model.layers.{i}.self_attn.v_proj.weight"[K * h + k, d];
    blocks[i].wo[h, k, d] = "model.layers.{i}.self_attn.o_proj.weight"[d, K * h + k];
    blocks[i].g2          = "model.layers.{i}.post_attention_layernorm.weight";
    blocks[i].gate[d, f]  = "model.layers.{i}.mlp.gate_proj.weight"[f, d];
    blocks[i].up[d, f]    = "model.layers.{i}.mlp.up_proj.weight"[f, d];
    blocks[i].down[f, d]  = "model.layers.{i}.mlp.down_proj.weight"[d, f];
    gf                    = "model.norm.weight";
    head[d, v]            = "lm_head.weight"[v, d] || "model.embed_tokens.weight"[v, d];
    _                     = "model.layers.{i}.self_attn.rotary_emb.inv_freq";
}

fn block[n, t, p: place](x: f32[n, t, D] @ p : (dp=S(0)), w: Block[p]) -> f32[n, t, D] @ p : (dp=S(0)) {
    let a = rmsnorm(x, w.g1, EPS);
    let q[n, h, t, k] = sum[d] a[n, t, d] * w.wq[d, h, k];             // heads split over tp, nothing moves
    let k[n, g, t, k] = sum[d] a[n, t, d] * w.wk[d, g, k];
    let v[n, g, t, k] = sum[d] a[n, t, d] * w.wv[d, g, k];
    let o = nn.attention(nn.rotary(q, BASE), nn.rotary(k, BASE), v);
    let y[n, t, d] = sum[h, k] o[n, h, t, k] * w.wo[h, k, d];          // tp=P(sum)
    let r = x + (y to (dp=S(0)));
    return r + (nn.swiglu(rmsnorm(r, w.g2, EPS), w.gate, w.up, w.down) to (dp=S(0)));
}

/// Scores of every next token: ids[n, t] -> [n, t, V], the tokens split over tp.
fn logits[n, t](ids: i32[n, t] @ grid : (dp=S(0))) -> f32[n, t, V] @ grid : (dp=S(0), tp=S(2)) {
    var x = table[ids];
    for i in 0..L { x = block(x, blocks[i]); }
    return rmsnorm(x, gf, EPS) @ head;
}

fn objective[n, t](ids: i32[n, t] @ grid : (dp=S(0)), next: i32[n, t] @ grid : (dp=S(0))) -> f32 @ grid : B {
    return loss.cross_entropy(logits(ids), next) to B;
}

fn examples() {
    if BYTES { return data.windows(text) as u8[_, T + 1]; }
    return data.windows(text) as u16[_, T + 1];
}

main {
    if from != "" { load(from, names = hub); }
    var step = 0;
    for piece in data.batches(examples(), size = N, shuffle = rng(0), steps = steps) {
        let ids = piece as i32 to @grid : (dp=S(0));
        let (l, g) = value_and_grad(objective)(ids[.., 0..T], ids[.., 1..T + 1]);
        optim.adamw(optim.clip_norm(g, 1.0), lr = optim.cosine(lr, step, steps, warmup = 20), beta2 = 0.95, weight_decay = 0.1);
        every 20 { log(bits = l / 0.6931472); }
        step += 1;
    }
    save(into, names = hub);
}
