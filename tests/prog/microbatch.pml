// A step cut into micro-batches gives what the whole one does: on one placement, in pipelines of 2, 3 and 4 stages, with data and
// tensor parallel stages, in either order, m smaller than p, with dropout by micro-batch.
//% layouts 0 (1 2) 3 (4) 5 6 (7)
//% rtol 1e-5
import std.loss;
import std.optim;

const LAYOUT : int = 0;
const M  : int = [1, 2, 4, 12, 4, 2, 6, 4][LAYOUT];
const PP : int = [1, 1, 2, 3, 4, 4, 2, 2][LAYOUT];
const DP : int = [1, 2, 1, 1, 1, 1, 2, 2][LAYOUT];
const TP : int = [1, 1, 1, 1, 1, 2, 1, 2][LAYOUT];
const ORDER : string = ["1f1b", "1f1b", "gpipe", "1f1b", "zb", "1f1b", "gpipe", "zb"][LAYOUT];
const L : int = 12;
place grid = ranks(0..PP * DP * TP) as (pp = PP, dp = DP, tp = TP);

struct Block[p: place] {
    u : f32[6, 8] @ p : (tp=S(1)) = reshape((iota(48) * 7 % 11) as f32 * 0.1, [6, 8]) - 0.5,
    c : f32[8]    @ p : (tp=S(0)) = full(0.1),
    d : f32[8, 6] @ p : (tp=S(0)) = reshape((iota(48) * 5 % 13) as f32 * 0.1, [8, 6]) - 0.6
}
param first  : f32[5, 6] @ grid[pp = 0] = reshape((iota(30) * 3 % 7) as f32 * 0.2, [5, 6]) - 0.6;
param stages : [s in 0..PP] [L / PP] Block[grid[pp = s]];
param last   : f32[6, 3] @ grid[pp = PP - 1] = reshape((iota(18) * 5 % 7) as f32 * 0.2, [6, 3]) - 0.6;
state seen   : f32 @ grid[pp = 0] = zeros();

fn model[n](x: f32[n, 5] @ grid[pp = 0] : (dp=S(0)), t: i32[n] @ grid[pp = PP - 1] : (dp=S(0))) -> f32 @ grid[pp = PP - 1] : B {
    var h = x @ first;
    seen = seen + (sum(x) to B);
    for s in 0..PP {
        h = h to @grid[pp = s];
        for i in 0..L / PP {
            let b = stages[s][i];
            h = h + 0.1 * (relu(h @ b.u + b.c) @ b.d to (dp=S(0)));
        }
    }
    return loss.cross_entropy(h @ last, t) to B;
}

main {
    let x = reshape(cos(iota(24 * 5) as f32), [24, 5]);
    let t = (iota(24) % 3) as i32;
    for step in 0..4 {
        let (l, g) = microbatch(M, schedule = ORDER) {
            value_and_grad(model)(x to @grid[pp = 0] : (dp=S(0)), t to @grid[pp = PP - 1] : (dp=S(0)))
        };
        print(l, g.first to B, g.last to B, seen);
        optim.sgd(g, lr = 0.05, momentum = 0.5);
    }
}
