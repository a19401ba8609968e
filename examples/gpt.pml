// A small GPT on the bytes of a text: 4 layers of width 128, contexts of 64 bytes, AdamW with warm-up and cosine.
//   pmlc gpt.pml && mpiexec -n 2 ./gpt                                        data-parallel on two ranks
//   pmlc gpt.pml -D 'grid=ranks(0..4) as (dp=2, tp=2)' && mpiexec -n 4 ./gpt  heads and hidden layers split too
//   mpiexec -n 2 ./gpt --sample=400 --prompt="The program"                    then text, byte by byte
// Prints bits per byte: about 3.3 after the 300 steps it takes by default (15 s on two cores). Stopped by Ctrl-C, --steps or killed, it
// goes on from its last checkpoint; if nothing is left to learn, only samples are drawn.
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

config corpus : path = "/usr/share/common-licenses/GPL-3";   /// text to learn
config steps  : int  = 300;                                  /// training steps
config lr     : f32  = 0.001;                                /// highest rate of AdamW
config folder : path = "gpt-checkpoints";                    /// where a run goes on from

config sample      : int    = 0;                             /// bytes of text to draw in the end
config prompt      : string = "This";                        /// what the text begins with
config temperature : f32    = 0.8;                           /// 0: always the likeliest byte
config top         : int    = 40;                            /// draw among so many bytes, 0: among all

place grid = ranks(0..2) as (dp = 2, tp = 1);

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

param wte    : f32[V, D] @ grid = normal(std = 0.02);
param wpe    : f32[T, D] @ grid = normal(std = 0.02);
param blocks : [L] Block[grid];
param gf     : f32[D] @ grid = ones();
param bf     : f32[D] @ grid = zeros();
param head   : f32[D, V] @ grid : (tp=S(1)) = normal(std = 0.02);

fn heads[n, t, p: place](x: f32[n, t, D] @ p : (dp=S(0)), w: Block[p]) {
    let a = layernorm(x, w.g1, w.b1);
    let qkv[c, n, h, t, k] = sum[d] a[n, t, d] * w.wqkv[c, h, d, k];   // heads split over tp, nothing moves
    return (qkv[0], qkv[1], qkv[2]);
}

fn joined[n, t, p: place](x: f32[n, t, D] @ p : (dp=S(0)), o, w: Block[p]) -> f32[n, t, D] @ p : (dp=S(0)) {
    let y[n, t, d] = sum[h, k] o[n, h, t, k] * w.wo[h, k, d];          // tp=P(sum)
    let r = x + (y to (dp=S(0)));
    let u = gelu_tanh(layernorm(r, w.g2, w.b2) @ w.wu);                // tp=S(2)
    return r + (u @ w.wd to (dp=S(0)));
}

fn block(x, w) {
    let (q, k, v) = heads(x, w);
    return joined(x, nn.attention(q, k, v), w);
}

fn model[n](tokens: i32[n, T] @ grid : (dp=S(0)), targets: i32[n, T] @ grid : (dp=S(0))) -> f32 @ grid : B {
    var x = wte[tokens] + wpe;
    for i in 0..L { x = block(x, blocks[i]); }
    let z = layernorm(x, gf, bf) @ head;                                // classes split over tp
    return loss.cross_entropy(z, targets) to B;
}

// Text is drawn from windows of T bytes. What attention has seen of the present one is kept, so that a byte costs one position.
struct Past[p: place] {
    k : f32[1, H, T, K] @ p : (dp=S(0), tp=S(1)) = zeros(),
    v : f32[1, H, T, K] @ p : (dp=S(0), tp=S(1)) = zeros()
}
cache past   : [L] Past[grid];
cache window : i32[T] @ grid = zeros();

/// Logits of the byte behind each one of the window; fills the cache.
fn read_window() -> f32[T, V] @ grid : B {
    var x = reshape(wte[window] + wpe, [1, T, D]) to (dp=S(0));
    for i in 0..L {
        let (q, k, v) = heads(x, blocks[i]);
        past[i].k = k;
        past[i].v = v;
        x = joined(x, nn.attention(q, k, v), blocks[i]);
    }
    return reshape(layernorm(x, gf, bf) @ head to B, [T, V]);
}

/// Logits of the byte behind the one at position `at`, where the cache holds what stands before.
fn read_byte(at: int) -> f32[V] @ grid : B {
    var x = reshape(wte[window[at]] + wpe[at], [1, 1, D]) to (dp=S(0));
    for i in 0..L {
        let (q, k, v) = heads(x, blocks[i]);
        x = joined(x, nn.attention_step(q, k, v, past[i], at), blocks[i]);
    }
    return reshape(layernorm(x, gf, bf) @ head to B, [V]);
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
        let ids = piece as i32 to @grid : (dp=S(0));
        let (l, g) = value_and_grad(model)(ids[.., 0..T], ids[.., 1..T + 1]);
        optim.adamw(optim.clip_norm(g, 1.0), lr = optim.cosine(lr, step, steps, warmup = 20), beta2 = 0.95, weight_decay = 0.1);
        every 10 {
            bits = l / 0.6931472;
            log(bits = bits);
        }
        step += 1;
        if step % 500 == 0 || stopping() { checkpoint(folder, step = step); }
    }
    if bits > 0.0 { print("bits per byte", bits); }

    if sample > 0 { draw(prompt, sample); }
}
