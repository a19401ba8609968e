// A pipeline of PP stages that do the same: an addition and L layers each, and the loss in the last, which is less than 1 % of its work.
import std.optim;

const PP : int = 2;                                 // stages
const M  : int = 8;                                 // micro-batches
const L  : int = 4;                                 // layers of a stage
const D  : int = 256;                               // width
const N  : int = 512;                               // rows

const ORDER : string = "1f1b";                      // schedule
const HOLD : int = 0;

config turns : int = 40;                            /// steps, of which pipeline_idle.py leaves out the first tenth

place grid = ranks(0..PP) as (pp = PP);

struct Layer[p: place] {
    up   : f32[D, 2 * D] @ p = normal(std = 0.04),
    down : f32[2 * D, D] @ p = normal(std = 0.04)
}
param shift  : [s in 0..PP] f32[D] @ grid[pp = s] = zeros();
param layers : [s in 0..PP] [L] Layer[grid[pp = s]];

fn layer[n, p: place](x: f32[n, D] @ p, w: Layer[p]) -> f32[n, D] @ p {
    return x + tanh(x @ w.up) @ w.down;
}

fn model[n](x: f32[n, D] @ grid[pp = 0], t: f32[n, D] @ grid[pp = PP - 1]) -> f32 @ grid[pp = PP - 1] {
    var h = x;
    for s in 0..PP {
        h = (h to @grid[pp = s]) + shift[s];
        for i in 0..L { h = layer(h, layers[s][i]); }
    }
    return mean((h - t) ** 2);
}

main {
    let x = normal(rng(0), [N, D]);
    let t = x * 0.5 + tanh(x) * 0.5;
    for step in 0..turns {
        let (l, g) = microbatch(M, schedule = ORDER, hold = HOLD) { value_and_grad(model)(x to @grid[pp = 0], t to @grid[pp = PP - 1]) };
        optim.sgd(g, lr = 0.1);
        if step == turns - 1 { print(l); }
    }
}
