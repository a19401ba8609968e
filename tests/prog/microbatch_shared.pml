// Params that several stages of a pipeline use, embedding and output matrix among them, as they are, transposed, cast and with
// weights in shares: gradients are those of the whole step, in 1 to 4 stages, in any order, with data and tensor parallel stages.
//% layouts 0 (1) (2) (3) (4) (5) (6) 7
//% rtol 1e-5
//% bits microbatch_shared
import std.loss;
import std.optim;

const LAYOUT : int = 0;
const PP : int = [1, 2, 2, 3, 4, 4, 2, 2][LAYOUT];
const DP : int = [1, 1, 1, 1, 1, 1, 2, 1][LAYOUT];
const TP : int = [1, 1, 1, 1, 1, 1, 1, 2][LAYOUT];
const ORDER : string = ["gpipe", "1f1b", "gpipe", "zb", "gpipe", "1f1b", "zb", "zb"][LAYOUT];
const L : int = 12;
place grid = ranks(0..PP * DP * TP) as (pp = PP, dp = DP, tp = TP);

param words  : f32[10, 6] @ grid[pp = 0] : (dp=S(0)) = reshape((iota(60) * 7 % 11) as f32 * 0.1, [10, 6]) - 0.5;
param shared : f32[6, 6]  @ grid[pp = 0] : (tp=S(1)) = reshape((iota(36) * 5 % 13) as f32 * 0.1, [6, 6]) - 0.6;
param scale  : f32[6]     @ grid[pp = PP - 1] = full(0.5);
param own    : [i in 0..L] f32[6, 6] @ grid[pp = floor_div(i * PP, L)] = reshape((iota(36) * 3 % 7) as f32 * 0.1, [6, 6]) - 0.3;

fn model[n](x: i32[n] @ grid[pp = 0] : (dp=S(0)), t: i32[n] @ grid[pp = PP - 1] : (dp=S(0))) -> f32 @ grid[pp = PP - 1] : B {
    let table = words to B;
    var h = table[x];
    for i in 0..L {
        let s = floor_div(i * PP, L);
        h = h to @grid[pp = s] : (dp=S(0));
        h = h + 0.3 * tanh(h @ own[i]);
        if i % 4 == 1 { h = h * (1.0 + (scale to @grid[pp = s])); }
        if i % 3 == 0 {                                                 // a layer of several stages
            let w = (shared to B) to @grid[pp = s];
            h = h + 0.1 * (h @ w) + 0.05 * (h @ transpose(w));
        }
    }
    let out = (transpose(table) as f64 to @grid[pp = PP - 1] : B) as f32;
    return loss.cross_entropy(h @ out, t) to B;
}

main {
    for step in 0..3 {
        let x = (iota(24) * (step + 3) % 10) as i32;
        let t = ((iota(24) + step) % 10) as i32;
        let (l, g) = microbatch(4, schedule = ORDER) {
            value_and_grad(model)(x to @grid[pp = 0] : (dp=S(0)), t to @grid[pp = PP - 1] : (dp=S(0)))
        };
        let (whole, d) = value_and_grad(model)(x to @grid[pp = 0] : (dp=S(0)), t to @grid[pp = PP - 1] : (dp=S(0)));
        print(l, g.words to B, g.shared to B, g.scale);
        print(abs(l - whole) < 1e-5, max(abs(g.words - d.words) to B) < 1e-5, max(abs(g.shared - d.shared) to B) < 1e-5,
              max(abs(g.scale - d.scale)) < 1e-5);
        optim.sgd(g, lr = 0.1, momentum = 0.5);
    }
}
