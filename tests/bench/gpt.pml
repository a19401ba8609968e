// The transformers of the benchmark: GPT-2's architecture with tied embeddings, biases, AdamW without clipping; tokens are drawn.
//   pmlc gpt.pml && ./gpt --profile                                            124M parameters, B = 4, T = 64
//   pmlc -D D=256 -D H=4 -D L=4 -D V=4096 -D B=8 -D T=128 gpt.pml              the small one
//   pmlc -D TP=2 gpt.pml && mpiexec -n 2 ./gpt                                 tensor-parallel; -D DP=2: data-parallel
// --infer=1 computes logits alone.
import std.loss;
import std.nn;
import std.optim;

const D : int = 768;           /// width
const H : int = 12;            /// heads
const L : int = 12;            /// layers
const V : int = 50257;         /// tokens there are
const C : int = 1024;          /// positions there are
const B : int = 4;             /// sequences a step
const T : int = 64;            /// tokens a sequence
const DP : int = 1;            /// ranks that share the sequences
const TP : int = 1;            /// ranks that share the heads, what is in between, and the table of tokens
const K : int = D / H;
const INFER : int = 0;         /// 1: logits alone
const FACTORS : dtype = f32;   /// what products round their factors to

config steps : int = 10;       /// how many

place grid = ranks(0..DP * TP) as (dp = DP, tp = TP);

struct Block[p: place] {
    g1   : f32[D] @ p = ones(),
    b1   : f32[D] @ p = zeros(),
    wqkv : f32[D, 3, H, K] @ p : (tp=S(2)) = normal(std = 0.02),
    bqkv : f32[3, H, K]    @ p : (tp=S(1)) = zeros(),
    wo   : f32[H, K, D]    @ p : (tp=S(0)) = normal(std = 0.02),
    bo   : f32[D]          @ p = zeros(),
    g2   : f32[D] @ p = ones(),
    b2   : f32[D] @ p = zeros(),
    wu   : f32[D, 4 * D]   @ p : (tp=S(1)) = normal(std = 0.02),
    bu   : f32[4 * D]      @ p : (tp=S(0)) = zeros(),
    wd   : f32[4 * D, D]   @ p : (tp=S(0)) = normal(std = 0.02),
    bd   : f32[D]          @ p = zeros()
}

param wte    : f32[V, D] @ grid : (tp=S(0)) = normal(std = 0.02);
param wpe    : f32[C, D] @ grid = normal(std = 0.02);
param blocks : [L] Block[grid];
param gf     : f32[D] @ grid = ones();
param bf     : f32[D] @ grid = zeros();

op add_heads(a[n, c, h, t, k], b[c, h, k]) -> [n, c, h, t, k] = a + b;

fn block[n, p: place](x: f32[n, T, D] @ p : (dp=S(0)), w: Block[p]) -> f32[n, T, D] @ p : (dp=S(0)) {
    let a = layernorm(x, w.g1, w.b1);
    let qkv[c, n, h, t, k] = (sum[d] a[n, t, d] * w.wqkv[d, c, h, k]) + w.bqkv[c, h, k];
    let o = nn.attention(qkv[0], qkv[1], qkv[2]);
    let y[n, t, d] = sum[h, k] o[n, h, t, k] * w.wo[h, k, d];
    let r = x + (y to (dp=S(0))) + w.bo;
    let u = gelu_tanh(layernorm(r, w.g2, w.b2) @ w.wu + w.bu);
    return r + (u @ w.wd to (dp=S(0))) + w.bd;
}

fn logits[n](tokens: i32[n, T] @ grid : (dp=S(0))) {
    var x = (wte[tokens] to (dp=S(0))) + wpe[0..T];
    for i in 0..L { x = block(x, blocks[i]); }
    let y = layernorm(x, gf, bf);
    let z[n, t, v] = sum[d] y[n, t, d] * wte[v, d];
    return z;
}

fn objective[n](tokens: i32[n, T] @ grid : (dp=S(0)), targets: i32[n, T] @ grid : (dp=S(0))) -> f32 @ grid : B {
    return loss.cross_entropy(logits(tokens), targets) to B;
}

main {
    var last = 0.0;
    for i in 0..steps {
        let ids = randint(rng(i), [B, T + 1], 0, V) to @grid : (dp=S(0));
        if INFER == 1 {
            let z = mixed FACTORS { logits(ids[.., 0..T]) };
            last = max(z) to B;
        } else {
            let (l, g) = mixed FACTORS { value_and_grad(objective)(ids[.., 0..T], ids[.., 1..T + 1]) };
            optim.adamw(g, lr = 0.0001);
            last = l;
        }
    }
    print("last", last);
}
