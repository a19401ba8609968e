// Sentence embeddings by a BERT encoder, by default in the sizes of all-MiniLM-L6-v2 (Wang et al., 2020; Reimers, Gurevych, 2019). Reads
// .safetensors files under BERT's usual names; sentences come as token numbers, one sentence a line, all lines filled up to T numbers with 0.
//   pmlc minilm.pml && mpiexec -n 2 ./minilm --from=FOLDER                               four sentences that are built in
//   pmlc minilm.pml -D T=64 -D N=8 && mpiexec -n 2 ./minilm --from=FOLDER --ids=ids.csv   others, eight at a time
//   pmlc minilm.pml -D 'grid=ranks(0..4) as (dp=2, tp=2)' && mpiexec -n 4 ./minilm ...   heads and hidden layers split too
// Prints the cosines of the angles between the sentences taken at a time. With the published weights, those built in (a man is eating food; a man
// is eating a piece of bread; the girl is carrying a baby; two men pushed carts through the woods) give 0.755 for the first two, about 0 for the
// others; four sentences take some 20 ms on two cores.
import std.data;
import std.nn;

const D : int = 384;          // width
const H : int = 12;           // heads
const F : int = 1536;         // hidden width
const L : int = 6;            // layers
const C : int = 512;          // positions
const V : int = 30522;        // tokens there are
const N : int = 4;            // sentences at a time
const T : int = 12;           // tokens of each
const K : int = D / H;
const EPS : float = 1e-12;    // of the norms

config from : path = "";      /// weights: a file, an index or a folder; none: random ones
config ids  : path = "";      /// sentences; none: those built in

place grid = ranks(0..2) as (dp = 2, tp = 1);

struct Norm[p: place] { scale : f32[D] @ p = ones(), shift : f32[D] @ p = zeros() }
struct Heads[p: place] { w : f32[D, H, K] @ p : (tp=S(1)) = normal(std = 0.02), b : f32[H, K] @ p : (tp=S(0)) = zeros() }
struct Block[p: place] {
    q    : Heads[p],
    k    : Heads[p],
    v    : Heads[p],
    wo   : f32[H, K, D] @ p : (tp=S(0)) = normal(std = 0.02),
    bo   : f32[D]       @ p = zeros(),
    n1   : Norm[p],
    up   : f32[D, F]    @ p : (tp=S(1)) = normal(std = 0.02),
    b    : f32[F]       @ p : (tp=S(0)) = zeros(),
    down : f32[F, D]    @ p : (tp=S(0)) = normal(std = 0.02),
    c    : f32[D]       @ p = zeros(),
    n2   : Norm[p]
}

param tokens    : f32[V, D] @ grid = normal(std = 0.02);
param positions : f32[C, D] @ grid = normal(std = 0.02);
param kinds     : f32[2, D] @ grid = normal(std = 0.02);    // of first and second sentences; here all are first ones
param n0        : Norm[grid];
param blocks    : [L] Block[grid];

// The names and shapes of published files: matrices are kept as [out, in].
names bert {
    tokens                   = "[bert.]embeddings.word_embeddings.weight";
    positions                = "[bert.]embeddings.position_embeddings.weight";
    kinds                    = "[bert.]embeddings.token_type_embeddings.weight";
    n0.scale                 = "[bert.]embeddings.LayerNorm.weight";
    n0.shift                 = "[bert.]embeddings.LayerNorm.bias";
    blocks[i].q.w[d, h, k]   = "[bert.]encoder.layer.{i}.attention.self.query.weight"[K * h + k, d];
    blocks[i].q.b[h, k]      = "[bert.]encoder.layer.{i}.attention.self.query.bias"[K * h + k];
    blocks[i].k.w[d, h, k]   = "[bert.]encoder.layer.{i}.attention.self.key.weight"[K * h + k, d];
    blocks[i].k.b[h, k]      = "[bert.]encoder.layer.{i}.attention.self.key.bias"[K * h + k];
    blocks[i].v.w[d, h, k]   = "[bert.]encoder.layer.{i}.attention.self.value.weight"[K * h + k, d];
    blocks[i].v.b[h, k]      = "[bert.]encoder.layer.{i}.attention.self.value.bias"[K * h + k];
    blocks[i].wo[h, k, d]    = "[bert.]encoder.layer.{i}.attention.output.dense.weight"[d, K * h + k];
    blocks[i].bo             = "[bert.]encoder.layer.{i}.attention.output.dense.bias";
    blocks[i].n1.scale       = "[bert.]encoder.layer.{i}.attention.output.LayerNorm.weight";
    blocks[i].n1.shift       = "[bert.]encoder.layer.{i}.attention.output.LayerNorm.bias";
    blocks[i].up[d, f]       = "[bert.]encoder.layer.{i}.intermediate.dense.weight"[f, d];
    blocks[i].b              = "[bert.]encoder.layer.{i}.intermediate.dense.bias";
    blocks[i].down[f, d]     = "[bert.]encoder.layer.{i}.output.dense.weight"[d, f];
    blocks[i].c              = "[bert.]encoder.layer.{i}.output.dense.bias";
    blocks[i].n2.scale       = "[bert.]encoder.layer.{i}.output.LayerNorm.weight";
    blocks[i].n2.shift       = "[bert.]encoder.layer.{i}.output.LayerNorm.bias";
    _                        = "[bert.]embeddings.position_ids";             // 0, 1, 2, ..., which some files hold
    _                        = "[bert.]pooler.dense.weight";                 // for other tasks
    _                        = "[bert.]pooler.dense.bias";
}

fn heads(x, w) {
    let y[n, h, t, k] = (sum[d] x[n, t, d] * w.w[d, h, k]) + w.b[h, k];  // heads split over tp, nothing moves
    return y;
}

fn norm(x, w) { return layernorm(x, w.scale, w.shift, EPS); }

fn block[n, t, p: place](x: f32[n, t, D] @ p : (dp=S(0)), seen: bool[n, t] @ p : (dp=S(0)), w: Block[p]) -> f32[n, t, D] @ p : (dp=S(0)) {
    let o = nn.attention(heads(x, w.q), heads(x, w.k), heads(x, w.v), causal = false, mask = seen);
    let y[n, t, d] = sum[h, k] o[n, h, t, k] * w.wo[h, k, d];            // tp=P(sum)
    let r = norm(x + (y to (dp=S(0))) + w.bo, w.n1);
    let u = gelu(r @ w.up + w.b);                                        // tp=S(2)
    return norm(r + (u @ w.down to (dp=S(0))) + w.c, w.n2);
}

/// The mean of what the encoder makes of a sentence's tokens, of length 1: ids[n, t], 0 where a sentence is over -> [n, D].
fn embedded[n, t](ids: i32[n, t] @ grid : (dp=S(0))) -> f32[n, D] @ grid : (dp=S(0)) {
    let seen = ids != 0;
    var x = norm(tokens[ids] + positions[0..t] + kinds[0], n0);
    for i in 0..L { x = block(x, seen, blocks[i]); }
    let total = sum(mul_along(x, seen as f32), dim = 1);
    return div_along(total, norm_of(total));
}

fn norm_of[n, d](x: f32[n, d]) { return maximum(sqrt(finish(sum(x * x, dim = 1))), 1e-12); }

fn cosines(ids) {
    let e = embedded(ids to @grid : (dp=S(0))) to B;
    return e @ transpose(e);
}

main {
    if from != "" { load(from, names = bert); }
    if ids == "" {
        print(cosines([[101, 1037, 2158, 2003, 5983, 2833, 1012, 102, 0, 0, 0, 0], [101, 1037, 2158, 2003, 5983, 1037, 3538, 1997, 7852, 1012, 102, 0],
            [101, 1996, 2611, 2003, 4755, 1037, 3336, 1012, 102, 0, 0, 0], [101, 2048, 2273, 3724, 25568, 2083, 1996, 5249, 1012, 102, 0, 0]] as i32));
    } else {
        for rows in data.batches(data.csv(ids, [T]) as i32[_, T], size = N) { print(cosines(rows)); }
    }
}
