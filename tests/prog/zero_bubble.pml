// Backward passes in two pieces: gradients of weights later than what the stage before waits for. Layers in loops, a loop in each layer, a
// weight that all turns use, layers computed again, a matrix of the first and the last stage, clipping by the norm of all gradients, stages
// that are come back to, data and tensor parallel ones: the same values and bits as when each backward pass is one piece, or all of them
// come behind the forward ones.
//% layouts 0 (1) (2) (3) (4) 5 (6) (7) (8) 9 (10)
//% also --loops=unrolled
//% rtol 1e-5
//% bits zero_bubble
import std.nn;
import std.optim;

const LAYOUT : int = 0;
const ORDER : string = ["1f1b", "zb", "zb", "1f1b", "zb", "zb", "zb", "zb", "zb", "gpipe", "gpipe"][LAYOUT];
const HOLD  : int = [0, 0, 0, 0, 1, 5, 0, 0, 7, 0, 0][LAYOUT];
const PP : int = [1, 1, 2, 3, 3, 3, 2, 2, 4, 3, 2][LAYOUT];
const TURNS : int = [1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 2][LAYOUT];
const DP : int = [1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1][LAYOUT];
const TP : int = [1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1][LAYOUT];
const S : int = PP * TURNS;          // stages
const L : int = 12;                  // layers
const D : int = 6;
place grid = ranks(0..PP * DP * TP) as (pp = PP, dp = DP, tp = TP);

struct Layer[p: place] {
    up    : f32[D, 8] @ p : (tp=S(1)) = reshape((iota(D * 8) * 5 % 13) as f32 * 0.1, [D, 8]) - 0.6,
    down  : f32[8, D] @ p : (tp=S(0)) = reshape((iota(8 * D) * 7 % 11) as f32 * 0.1, [8, D]) - 0.5,
    shift : f32[D] @ p = full(0.01)
}
param layers : [s in 0..S] [L / S] Layer[grid[pp = s % PP]];
param common : f32[D, D] @ grid[pp = (S - 1) % PP] = reshape((iota(D * D) * 3 % 7) as f32 * 0.1, [D, D]) - 0.3;
param table  : f32[10, D] @ grid[pp = 0] = reshape((iota(10 * D) * 7 % 11) as f32 * 0.1, [10, D]) - 0.5;

fn layer[n, p: place](x: f32[n, D] @ p : (dp=S(0)), w: Layer[p], j: i64) -> f32[n, D] @ p : (dp=S(0)) {
    var h = layernorm(x, ones([D]), w.shift);
    for t in 0..2 { h = tanh(h * 0.9 + w.shift * (t + j)); }
    return x + (tanh(h @ w.up) @ w.down to (dp=S(0)));
}

fn model[n](x: i32[n] @ grid[pp = 0] : (dp=S(0)), t: f32[n, 10] @ grid[pp = (S - 1) % PP] : (dp=S(0))) -> f32 @ grid[pp = (S - 1) % PP] : B {
    var h = table[x];
    for s in 0..S {
        h = h to @grid[pp = s % PP] : (dp=S(0));
        for i in 0..L / S {
            if s % 2 == 1 { h = remat { layer(h, layers[s][i], L / S * s + i) }; }
            else { h = layer(h, layers[s][i], L / S * s + i); }
        }
    }
    for t in 0..3 { h = tanh(h @ common + t * 0.1); }
    let d = h @ (transpose(table) to @grid[pp = (S - 1) % PP] : B) - t;
    return mean(d * d) to B;
}

main {
    for step in 0..3 {
        let x = (iota(24) * (step + 3) % 10) as i32;
        let t = reshape(cos(iota(240) as f32), [24, 10]);
        let (l, g) = microbatch(6, schedule = ORDER, hold = HOLD) {
            value_and_grad(model)(x to @grid[pp = 0] : (dp=S(0)), t to @grid[pp = (S - 1) % PP] : (dp=S(0)))
        };
        optim.sgd(optim.clip_norm(g, 1.0), lr = 0.05, momentum = 0.5);
        print(l, table, common, layers[0][0].up to B);
    }
}
