// Params of a list that a loop has read are one tensor to the compiler and updated in one go, as if one by one: by several optimizers,
// between assignments of some of them, with what keeps states, sums up or branches, and in lists that are not alike in everything.
//% ranks 1 2 (3) (4)
//% also --loops=unrolled
//% bits lists_of_params
import std.optim;

const N : int = 1;
place p = ranks(0..N) as (dp = N);

struct Layer[q: place] {
    w : f32[4, 4] @ q : (dp=S(1)) = normal(std = 0.5),
    b : f32[4]    @ q             = zeros(),
    s : f32       @ q             = ones()
}

param layers : [5] Layer[p];
param scales : [3] f32[4] @ p = normal(std = 0.1);
param table  : f32[4, 4] @ p = normal(std = 0.5);
state total  : f32 @ p = 0.0;

fn net(x: f32[2, 4]) -> f32 @ p {
    var h = x to @p;
    for i in 0..5 { h = tanh((h @ (layers[i].w to B)) * layers[i].s + layers[i].b); }
    for i in 0..3 { h = h * (1.0 + scales[i]); }
    h = h @ table + layers[2].b;                    // one of the list once more
    return sum(h * h);
}

fn part(x: f32[2, 4]) -> f32 @ p {
    var h = x to @p;
    for i in 1..4 { h = tanh(h @ (layers[i].w to B)); }
    return sum(h);
}

// States of their own, a sum over all params, something known of each.
fn lean(g: gradient, lr) {
    var longest = zeros([], f32) to @p;
    var matrices = 0;
    each (q, d) in g {
        state mean : like d = zeros();
        state calls : i32 @ q.place = 0;
        let m = 0.5 * mean + 0.5 * d;
        mean = m;
        calls = calls + 1;
        if rank(d) > 1 { matrices += 1; }
        longest = max(longest, max(abs(m)) to B);
        q = q - lr * m / (calls as f32);
    }
    return (longest, matrices);
}

// The first is kept as it is, which makes turns differ.
fn counted(g: gradient) {
    each (q, d) in g {
        total = total + (sum(q) to B) + 0.5 * (sum(d) to B);
        for k in 0..2 { q = 0.9 * q + 0.05 * tanh(q); }
    }
}

fn shown(what: string) {
    print(what, layers[0].w to B, layers[4].w[0] to B, layers[2].b, layers[3].s, scales[1], table[1]);
}

main {
    let x = [[0.1, 0.2, 0.3, 0.4], [1.0, -1.0, 0.5, 0.0]] as f32;
    shown("drawn");
    let (l, g) = value_and_grad(net)(x);
    print("value", l, optim.norm(g), g.layers[2].b, g.layers[0].w to B, (2.0 * g).scales[1], (g + g).layers[1].s);
    optim.adamw(optim.clip_norm(g, 1.0), lr = 0.05, decays = optim.matrices);
    shown("adamw");
    let h = grad(net)(x);
    optim.sgd(h, lr = 0.01, momentum = 0.9);
    optim.sgd(optim.clip_value(h, 0.5), lr = 0.01, momentum = 0.9);
    shown("sgd twice");
    layers[1].w = 0.5 * layers[1].w;
    layers[2].b = layers[3].b + 1.0;
    optim.lamb(grad(net)(x), lr = 0.02);
    shown("lamb behind assignments");
    let d = grad(net)(x);
    optim.lion(d, lr = 0.01);
    layers[0].w = layers[0].w * 2.0;
    scales[1] = scales[0] + scales[2];
    shown("assignments behind lion");
    let (longest, matrices) = lean(grad(net)(x), 0.1);
    print("longest", longest, matrices);
    lean(grad(part)(x), 0.1);
    shown("lean");
    counted(grad(net)(x));
    print("counted", total);
    shown("counted");
    optim.adamw(grad(net, wrt = layers)(x), lr = 0.05);
    optim.adamw(grad(net, wrt = (layers[1].w, scales))(x), lr = 0.05);
    let e = each (q, v) in grad(part)(x) => 0.25 * v + 0.001 * q;
    optim.sgd(e, lr = 0.1);
    shown("some of them");
    for k in 0..3 {
        let m = optim.accumulate(grad(net)(x), k, n = 3);
        if k == 2 { optim.adam(m, lr = 0.01); }
    }
    shown("accumulated");
    print("names", optim.dot(d, h), e.layers[1].w[0] to B);
}
