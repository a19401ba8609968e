// A pipeline whose first and last stage share a matrix; all layers are split over tp and lie in shares over dp.
import std.loss;
import std.optim;

const PP : int = 2;
const DP : int = 1;
const TP : int = 1;
const M  : int = 4;
const ORDER : string = "1f1b";
place grid = ranks(0..PP * DP * TP) as (pp = PP, dp = DP, tp = TP);

param words : f32[16, 8] @ grid[pp = 0] = normal();
param up    : [i in 0..4] f32[8, 12] @ grid[pp = floor_div(i * PP, 4)] : (dp=S(0), tp=S(1)) = normal(std = 0.3);
param down  : [i in 0..4] f32[12, 8] @ grid[pp = floor_div(i * PP, 4)] : (dp=S(1), tp=S(0)) = normal(std = 0.3);

fn model[n](x: i32[n] @ grid[pp = 0] : (dp=S(0)), t: i32[n] @ grid[pp = PP - 1] : (dp=S(0))) -> f32 @ grid[pp = PP - 1] : B {
    var h = words[x];
    for i in 0..4 {
        h = h to @grid[pp = floor_div(i * PP, 4)] : (dp=S(0));
        h = h + (tanh(h @ (up[i] to (tp=S(1)))) @ (down[i] to (tp=S(0))) to (dp=S(0)));
    }
    return loss.cross_entropy(h @ (transpose(words) to @grid[pp = PP - 1] : B), t) to B;
}

main {
    for step in 0..3 {
        let x = (iota(64) * (step + 3) % 16) as i32;
        let t = ((iota(64) + step) % 16) as i32;
        let (l, g) = microbatch(M, schedule = ORDER) {
            value_and_grad(model)(x to @grid[pp = 0] : (dp=S(0)), t to @grid[pp = PP - 1] : (dp=S(0)))
        };
        optim.sgd(g, lr = 0.1);
        print(l);
    }
}
