// A small GPT on the bytes of a text: 4 layers of width 128, contexts of 64 bytes, AdamW with warm-up and cosine.
//   pmlc gpt.pml && mpiexec -n 2 ./gpt                           data-parallel on two ranks
//   pmlc gpt.pml -D DP=2 -D TP=2 && mpiexec -n 4 ./gpt           heads and hidden layers split, too
//   pmlc gpt.pml -D DP=1 -D PP=2 -D M=4 && mpiexec -n 2 ./gpt    a pipeline of two stages, four micro-batches a step;
//                                                                -D TURNS=2: each stage has two parts of the layers (interleaved),
//                                                                -D 'ORDER="zb"': gradients of weights fill the waits (zero-bubble)
//   pmlc gpt.pml -D 'SHARES=S(0)' && mpiexec -n 2 ./gpt          params live in shares and are gathered where they are used (ZeRO-3)
//   pmlc gpt.pml -D FACTORS=bf16 && mpiexec -n 2 ./gpt           products of bf16, where the processor has them 1.5 times as fast
//   pmlc gpt.pml -D DP=1 -D TP=2 -D 'ROWS=S(1)'                  between the products tokens are split over tp (sequence-parallel)
//   mpiexec -n 2 ./gpt --sample=400 --prompt="The program"       then text, byte by byte
// Prints bits per byte: about 3.3 after the 300 steps it takes by default (10 s on two cores), in all these forms. Stopped by Ctrl-C,
// --steps or killed, it goes on from its last checkpoint, which fits all forms; if nothing is left to learn, only samples are drawn.
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

const PP : int = 1;           // stages that share the layers
const TURNS : int = 1;        // times a micro-batch comes by each stage
const DP : int = 2;           // groups of ranks that share the rows of a batch
const TP : int = 1;           // ranks that share the heads and hidden units of a layer
const M  : int = 1;           // micro-batches in a step
const ORDER : string = "1f1b";// of stages: "zb" waits less
const SHARES : layout = B;    // S(0): every rank of dp keeps its share of all params
const ROWS   : layout = B;    // S(1): the ranks of tp share the tokens where they do not share heads
const FACTORS : dtype = f32;  // bf16: products multiply numbers of 16 bits and add up in f32

config corpus : path = "/usr/share/common-licenses/GPL-3";   /// text to learn
config steps  : int  = 300;                                  /// training steps
config lr     : f32  = 0.001;                                /// highest rate of AdamW
config folder : path = "gpt-checkpoints";                    /// where a run goes on from

config sample      : int    = 0;                             /// bytes of text to draw in the end
config prompt      : string = "This";                        /// what the text begins with
config temperature : f32    = 0.8;                           /// 0: always the likeliest byte
config top         : int    = 40;                            /// draw among so many bytes, 0: among all

place grid = ranks(0..PP * DP * TP) as (pp = PP, dp = DP, tp = TP);
place first = grid[pp = 0];
place last = grid[pp = stage(L - 1)];
fn stage(layer: int) { return floor_div(layer * PP * TURNS, L) % PP; }

struct Block[p: place] {
    g1   : f32[D]          @ p : (dp=SHARES) = ones(),
    b1   : f32[D]          @ p : (dp=SHARES) = zeros(),
    wqkv : f32[D, 3, H, K] @ p : (dp=SHARES, tp=S(2)) = normal(std = 0.02),
    wo   : f32[D, H, K]    @ p : (dp=SHARES, tp=S(1)) = normal(std = 0.02),
    g2   : f32[D]          @ p : (dp=SHARES) = ones(),
    b2   : f32[D]          @ p : (dp=SHARES) = zeros(),
    wu   : f32[D, 4 * D]   @ p : (dp=SHARES, tp=S(1)) = normal(std = 0.02),
    wd   : f32[D, 4 * D]   @ p : (dp=SHARES, tp=S(1)) = normal(std = 0.02)
}

param wte    : f32[V, D] @ first : (dp=SHARES) = normal(std = 0.02);
param wpe    : f32[T, D] @ first : (dp=SHARES) = normal(std = 0.02);
param blocks : [i in 0..L] Block[grid[pp = stage(i)]];
param gf     : f32[D] @ last : (dp=SHARES) = ones();
param bf     : f32[D] @ last : (dp=SHARES) = zeros();
param head   : f32[D, V] @ last : (dp=SHARES, tp=S(1)) = normal(std = 0.02);

/// Queries, keys and values [n, heads, t, width], heads split over tp.
fn heads[n, t, p: place](x: f32[n, t, D] @ p : (dp=S(0), tp=ROWS), w: Block[p]) {
    let a = layernorm(x, w.g1 to B, w.b1 to B) to (dp=S(0));
    let wqkv = w.wqkv to (tp=S(2));
    let qkv[c, n, h, t, k] = sum[d] a[n, t, d] * wqkv[d, c, h, k];
    return (qkv[0], qkv[1], qkv[2]);
}

/// What follows attention in a block: its output o joined with x, and the hidden layer.
fn joined[n, t, p: place](x: f32[n, t, D] @ p : (dp=S(0), tp=ROWS), o, w: Block[p]) -> f32[n, t, D] @ p : (dp=S(0), tp=ROWS) {
    let wo = w.wo to (tp=S(1));
    let y[n, t, d] = sum[h, k] o[n, h, t, k] * wo[d, h, k];               // tp=P(sum)
    let r = x + (y to (dp=S(0), tp=ROWS));
    let u = gelu_tanh((layernorm(r, w.g2 to B, w.b2 to B) to (dp=S(0))) @ (w.wu to (tp=S(1))));
    let wd = w.wd to (tp=S(1));
    let z[n, t, d] = sum[f] u[n, t, f] * wd[d, f];
    return r + (z to (dp=S(0), tp=ROWS));
}

fn block(x, w) {
    let (q, k, v) = heads(x, w);
    return joined(x, nn.attention(q, k, v), w);
}

/// tokens [n, t] at positions with these rows of wpe, [t, D] or [D]: f32[n, t, D].
fn embedded[n, t](tokens: i32[n, t] @ first : (dp=S(0)), positions) {
    return (wte to B)[tokens] + positions to (dp=S(0), tp=ROWS);
}

/// x [n, t, D] to logits [n, t, V], classes split over tp.
fn scored(x) {
    let z = layernorm(x, gf to B, bf to B) to (dp=S(0));
    return z @ (head to (tp=S(1)));
}

fn model[n](tokens: i32[n, T] @ first : (dp=S(0)), targets: i32[n, T] @ last : (dp=S(0))) -> f32 @ last : B {
    var x = embedded(tokens, wpe to B);
    for i in 0..L { x = block(x to @grid[pp = stage(i)] : (dp=S(0), tp=ROWS), blocks[i]); }   // nothing moves within a stage
    return loss.cross_entropy(scored(x), targets) to B;
}

// Text is drawn from windows of T bytes. What attention has seen of the present one is kept, so that a byte costs one position.
struct Past[p: place] {
    k : f32[1, H, T, K] @ p : (dp=S(0), tp=S(1)) = zeros(),
    v : f32[1, H, T, K] @ p : (dp=S(0), tp=S(1)) = zeros()
}
cache past   : [i in 0..L] Past[grid[pp = stage(i)]];
cache window : i32[T] @ first = zeros();

/// Logits of the byte behind each one of the window; fills the cache.
fn read_window() -> f32[T, V] @ last : B {
    var x = embedded(reshape(window, [1, T]) to (dp=S(0)), wpe to B);
    for i in 0..L {
        x = x to @grid[pp = stage(i)] : (dp=S(0), tp=ROWS);
        let (q, k, v) = heads(x, blocks[i]);
        past[i].k = k;
        past[i].v = v;
        x = joined(x, nn.attention(q, k, v), blocks[i]);
    }
    return reshape(scored(x) to B, [T, V]);
}

/// Logits of the byte behind the one at position `at`, where the cache holds what stands before.
fn read_byte(at: int) -> f32[V] @ last : B {
    var x = embedded(reshape(window[at], [1, 1]) to (dp=S(0)), (wpe to B)[at]);
    for i in 0..L {
        x = x to @grid[pp = stage(i)] : (dp=S(0), tp=ROWS);
        let (q, k, v) = heads(x, blocks[i]);
        x = joined(x, nn.attention_step(q, k, v, past[i], at), blocks[i]);
    }
    return reshape(scored(x) to B, [V]);
}

/// Draws and prints `count` bytes behind a text. When the window is full it goes on with its second half.
fn draw(text, count) {
    window[0] = 10;                                                     // a text begins behind the end of a line
    var n = 1;
    for i in max(0, length(text) - T / 2)..length(text) {
        window[n] = text[i];
        n += 1;
    }
    print(text, end = "");
    var kept = false;                                                   // the cache holds what the window does
    var byte = 0;
    for i in 0..count {
        if kept {
            byte = nn.sample(rng(i), read_byte(n - 1), temperature, top);
        } else {
            byte = nn.sample(rng(i), read_window()[n - 1], temperature, top);
        }
        print(char(byte), end = "");
        kept = n < T;
        if !kept {
            window = concat([window[T / 2..T], zeros([T / 2], i32)]);
            n = T / 2;
        }
        window[n] = byte;
        n += 1;
    }
    print();
}

main {
    let text = data.windows(corpus) as u8[_, T + 1];
    var step = resume(folder);
    var bits = 0.0;
    for piece in data.batches(text, size = 16, shuffle = rng(0), first = step, steps = steps) {
        let (l, g) = microbatch(M, schedule = ORDER) {
            let before = piece[.., 0..T] as i32 to @first : (dp=S(0));
            let after = piece[.., 1..T + 1] as i32 to @last : (dp=S(0));
            mixed FACTORS { value_and_grad(model)(before, after) }
        };
        optim.adamw(optim.clip_norm(g, 1.0), lr = optim.cosine(lr, step, steps, warmup = 20), beta2 = 0.95, weight_decay = 0.1);
        every 10 {
            bits = l / 0.6931472;
            log(bits = bits);
        }
        step += 1;
        if step % 500 == 0 || step == steps || stopping() { checkpoint(folder, step = step); }
    }
    if bits > 0.0 { print("bits per byte", bits); }

    if sample > 0 { draw(prompt, sample); }
}
