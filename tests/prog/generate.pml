//% fold 1 (2) 4
//% rtol 1e-4
// Text drawn with a cache of keys and values: logits as those of the whole text at every position, samples alike on every number of
// ranks, with several heads of queries to one of keys and rotary positions.
import std.nn;

const D : int = 24;
const H : int = 4;
const G : int = 2;
const K : int = 6;
const T : int = 10;
const V : int = 33;
const L : int = 2;

config start       : string = "on the";
config temperature : f32    = 0.7;
config top         : int    = 5;

place grid = ranks(0..4) as (dp = 2, tp = 2);

struct Block[p: place] {
    g  : f32[D] @ p = ones(),
    wq : f32[D, H, K] @ p : (tp=S(1)) = normal(std = 0.3),
    wk : f32[D, G, K] @ p : (tp=S(1)) = normal(std = 0.3),
    wv : f32[D, G, K] @ p : (tp=S(1)) = normal(std = 0.3),
    wo : f32[H, K, D] @ p : (tp=S(0)) = normal(std = 0.3)
}
struct Past[p: place] {
    k : f32[1, G, T, K] @ p : (dp=S(0), tp=S(1)) = zeros(),
    v : f32[1, G, T, K] @ p : (dp=S(0), tp=S(1)) = zeros()
}
param table  : f32[V, D] @ grid = normal();
param blocks : [L] Block[grid];
param head   : f32[D, V] @ grid : (tp=S(1)) = normal(std = 0.2);
cache past   : [L] Past[grid];
cache window : i32[T] @ grid = zeros();

fn heads[n, t, m, p: place](x: f32[n, t, D] @ p : (dp=S(0)), w: f32[D, m, K] @ p : (tp=S(1))) {
    let y[n, h, t, k] = sum[d] x[n, t, d] * w[d, h, k];
    return y;
}

fn joined[n, t](x: f32[n, t, D] @ grid : (dp=S(0)), o, w: Block[grid]) -> f32[n, t, D] @ grid : (dp=S(0)) {
    let y[n, t, d] = sum[h, k] o[n, h, t, k] * w.wo[h, k, d];
    return x + (y to (dp=S(0)));
}

fn whole(tokens: i32[T] @ grid, keep) -> f32[T, V] @ grid : B {
    var x = reshape(table[tokens], [1, T, D]) to (dp=S(0));
    for i in 0..L {
        let w = blocks[i];
        let a = rmsnorm(x, w.g);
        let k = nn.rotary(heads(a, w.wk));
        let v = heads(a, w.wv);
        if keep {
            past[i].k = k;
            past[i].v = v;
        }
        x = joined(x, nn.attention(nn.rotary(heads(a, w.wq)), k, v), w);
    }
    return reshape(x @ head to B, [T, V]);
}

fn step(token, at: int) -> f32[V] @ grid : B {
    var x = reshape(table[token], [1, 1, D]) to (dp=S(0));
    for i in 0..L {
        let w = blocks[i];
        let a = rmsnorm(x, w.g);
        let q = nn.rotary(heads(a, w.wq), first = at);
        let k = nn.rotary(heads(a, w.wk), first = at);
        x = joined(x, nn.attention_step(q, k, heads(a, w.wv), past[i], at), w);
    }
    return reshape(x @ head to B, [V]);
}

fn draw(heat) {
    var n = 0;
    for i in 0..length(start) {
        window[n] = start[i] % V;
        n += 1;
    }
    var next = 0;
    next = nn.sample(rng(n), whole(window, true)[n - 1], heat, top);
    while n < T {
        window[n] = next;
        next = nn.sample(rng(n + 1), step(window[n], n), heat, top);
        n += 1;
    }
    print(window);
}

main {
    let tokens = randint(rng(1), [T], 0, V) to @grid;
    let all = whole(tokens, false);
    for at in 0..T { assert_close(step(tokens[at], at), all[at], rtol = 1e-5, atol = 1e-5); }
    let again = whole(tokens, true);
    for at in T / 2..T { assert_close(step(tokens[at], at), all[at], rtol = 1e-5, atol = 1e-5); }
    draw(temperature);
    draw(0.0);
    draw(0.0);
}
