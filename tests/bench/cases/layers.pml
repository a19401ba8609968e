// Layers and operators that networks are made of, step after step: which one is said by -D OP=.
import std.nn;
import std.loss;
import std.windows;
import std.fft;
import std.linalg;
const OP: int = 0;
const B: int = 32;   /// images of C channels, H x H
const C: int = 64;
const H: int = 56;
const R: int = 4096;
config steps: int = 10;
place all = ranks(0..1);

param image: f32[B, C, H, H] @ all = normal(std = 1.0);
param x: f32[2048, 2048] @ all = normal(std = 1.0);
param small: f32[64, 32, 32] @ all = normal(std = 1.0);
param line: f32[8, 64, 4096] @ all = normal(std = 1.0);
param filter: f32[64, 64, 5] @ all = normal(std = 0.1);
param table: f32[100000, 64] @ all = normal(std = 1.0);
param logits: f32[R, 1000] @ all = normal(std = 1.0);
param tokens: f32[512, 512] @ all = normal(std = 1.0);
param gate: f32[512, 1376] @ all = normal(std = 0.05);
param up: f32[512, 1376] @ all = normal(std = 0.05);
param down: f32[1376, 512] @ all = normal(std = 0.05);
param heads: f32[4, 8, 256, 64] @ all = normal(std = 1.0);
param few: f32[8, 8, 128, 64] @ all = normal(std = 1.0);
param points: f32[1024, 64] @ all = normal(std = 1.0);
param others: f32[1024, 64] @ all = normal(std = 1.0);
param through: f32[64, 1024] @ all = normal(std = 1.0);
state between: f32[1024, 1024] @ all = zeros();
state order_of_all: i32[100000] @ all = zeros();
state ids: i32[R] @ all = zeros();
state bags: i32[R, 16] @ all = zeros();
state rows: f32[R, 64] @ all = zeros();
state y: f32[2048, 2048] @ all = zeros();
state z: f32[64, 32, 32] @ all = zeros();
state o: f32[B, C, H / 2, H / 2] @ all = zeros();
state large: f32[B, C, 2 * H, 2 * H] @ all = zeros();
state order: i32[2048, 2048] @ all = zeros();
state l: f32[8, 64, 4096] @ all = zeros();
state t: f32[512, 512] @ all = zeros();
state q: f32[4, 8, 256, 64] @ all = zeros();
state one: f32[4096, 2048] @ all = zeros();
state e: f32[64, 32, 32] @ all = zeros();
state c: f32[R, 1000] @ all = zeros();
state cube: f32[128, 256, 128] @ all = zeros();
param from: f32[128, 256, 128] @ all = normal(std = 1.0);
param inner: f32[8, 64, 64] @ all = normal(std = 1.0);
state scored: f32[8, 128, 128] @ all = zeros();
param gathered: f32[R, 64] @ all = normal(std = 1.0);
param colours: f32[16, 3, 224, 224] @ all = normal(std = 1.0);
state sums: f32[1000, 64] @ all = zeros();
state pixels: f32[16, 224, 224, 3] @ all = zeros();

state bytes: u8[16, 224, 224, 3] @ all = zeros();
state whole: i8[2048, 2048] @ all = zeros();
param real: f32[64, 4096] @ all = normal(std = 1.0);
param imaginary: f32[64, 4096] @ all = normal(std = 1.0);
state real_parts: f32[64, 4096] @ all = zeros();
state imaginary_parts: f32[64, 4096] @ all = zeros();
param half: f32[256, 256] @ all = normal(std = 0.05);
state positive: f32[256, 256] @ all = zeros();
state lower: f32[256, 256] @ all = zeros();
param volume: f32[2, 16, 16, 32, 32] @ all = normal(std = 1.0);
param block: f32[32, 16, 3, 3, 3] @ all = normal(std = 0.1);
state blocked: f32[2, 32, 16, 32, 32] @ all = zeros();
param signal: f32[16, 64, 4096] @ all = normal(std = 1.0);
param wide: f32[128, 64, 3] @ all = normal(std = 0.1);
state halved: f32[16, 128, 2048] @ all = zeros();
param precise: f64[1024, 1024] @ all = normal(std = 1.0);
state precisely: f64[1024, 1024] @ all = zeros();

op channels_last(x[n, c, h, w]) -> [n, h, w, c] = x;
op normed(x[n, h, w, c]) -> [n, c, h, w] = (x as f32 / 255.0 - 0.45) / 0.225;
op absolute_differences(a[i, k], b[j, k]) -> [i, j] = sum[k] abs(a - b);
op squared_differences(a[i, k], b[j, k]) -> [i, j] = sum[k] (a - b) * (a - b);
op least_sums(a[i, k], b[k, j]) -> [i, j] = min[k] a + b;
op bilinear(x[h, i, c], w[h, c, d], y[h, j, d]) -> [h, i, j] = sum[c, d] x * w * y;
fn pooled() -> f32 @ all { return mean(square(max_pool2d(image, size = 3, stride = 2, pad = 1))); }
fn averaged() -> f32 @ all { return mean(square(avg_pool2d(image))); }
fn instance() -> f32 @ all { return mean(square(nn.instancenorm(image))); }
fn classified() -> f32 @ all { return loss.cross_entropy(logits, ids % 1000, smoothing = 0.1); }
fn convolved() -> f32 @ all { return mean(square(conv1d(line, filter, pad = 2))); }
fn glu() -> f32 @ all { return mean(square(nn.swiglu(rmsnorm(tokens), gate, up, down))); }
fn attended() -> f32 @ all { return mean(square(nn.attention(few, few, few, causal = false))); }

main {
    ids = (iota(R) * 7919 % 100000) as i32;
    let j = iota(16) as i32;
    let many[a, b] = (ids[a] + j[b] * 6151) % 100000;
    bags = many;
    bytes = (uniform(rng(1), [16, 224, 224, 3]) * 255.0) as u8;
    positive = half @ transpose(half) + eye(256);
    for i in 0..steps {
        if OP == 0 { let (v, g) = value_and_grad(pooled)(); image -= 0.001 * g.image; }
        if OP == 1 { let (v, g) = value_and_grad(averaged)(); image -= 0.001 * g.image; }
        if OP == 2 { let (v, g) = value_and_grad(instance)(); image -= 0.001 * g.image; }
        if OP == 3 { rows = nn.embedding_bag(table, bags); }
        if OP == 4 { y = nn.dropout(x, fold(rng(1), i)); }
        if OP == 5 { q = nn.rotary(heads); }
        if OP == 6 { let (v, g) = value_and_grad(glu)(); each (p, d) in g { p -= 0.001 * d; } }
        if OP == 7 { y = softmax(x, dim = 0); }
        if OP == 8 { order = argsort(x); }
        if OP == 9 { rows = table[ids]; }
        if OP == 10 { let (v, g) = value_and_grad(classified)(); logits -= 0.001 * g.logits; }
        if OP == 11 { let (v, g) = value_and_grad(convolved)(); each (p, d) in g { p -= 0.001 * d; } }
        if OP == 12 { large = windows.resize(image, [2 * H, 2 * H]); }
        if OP == 13 { z = small @ small; }
        if OP == 14 { cube = cumsum(from, dim = 1); }
        if OP == 15 { y = where(x > 0.5, x, -1.0); }
        if OP == 16 { one = concat([x, x], dim = 0); }
        if OP == 17 { y = roll(x, by = 3); }
        if OP == 18 { let (v, g) = value_and_grad(attended)(); few -= 0.001 * g.few; }
        if OP == 19 { c = one_hot(ids % 1000, 1000); }
        if OP == 20 { t = tokens @ tokens @ tokens @ tokens; }
        if OP == 21 { y = sort(x, dim = 0); }
        if OP == 22 { y = x ** 3.0 + log1p(abs(x)); }
        if OP == 23 { y = transpose(x) + x; }
        if OP == 24 { y = tril(x); }
        if OP == 25 { scored = bilinear(few[0, ..], inner, few[0, ..]); }
        if OP == 26 { sums = scatter_add(ids % 1000, gathered, 1000); }
        if OP == 27 { pixels = channels_last(colours); }
        if OP == 28 { colours = normed(bytes); }
        if OP == 29 { whole = clamp(round(x * 20.0), -128.0, 127.0) as i8; }
        if OP == 30 { let (a, b) = fft.fft(real, imaginary); real_parts = a; imaginary_parts = b; }
        if OP == 31 { lower = linalg.cholesky(positive); }
        if OP == 32 { blocked = windows.conv3d(volume, block, pad = 1); }
        if OP == 33 { halved = conv1d(signal, wide, stride = 2, pad = 1); }
        if OP == 34 { precisely = sin(precise); }
        if OP == 35 { precisely = tanh(precise) + erf(precise); }
        if OP == 36 { precisely = abs(precise) ** 1.7; }
        if OP == 37 { y = x % 0.7; }
        if OP == 38 { y = lgamma(abs(x) + 0.1); }
        if OP == 39 { y = gelu(x); }
        if OP == 40 { between = absolute_differences(points, others); }
        if OP == 41 { between = distances(points, others, exact = true); }
        if OP == 42 { between = exp(-0.01 * squared_differences(points, others)); }
        if OP == 43 { between = least_sums(points, through); }
        if OP == 44 { order_of_all = permutation(rng(i), 100000); }
    }
}
