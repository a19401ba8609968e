// Stages that are come back to, on some ranks and on all of them, two blocks in a region, gradients of gradients, tensors that stay whole,
// blocks in branches and loops: the same values and bits on 1 to 5 ranks.
//% layouts 0 (1) (2) (3) 4 (5)
//% machine ethernet
//% rtol 5e-5
//% bits microbatch_rounds
import std.optim;
const LAYOUT : int = 0;
const PP : int = [1, 2, 3, 4, 5, 3][LAYOUT];
const ORDER : string = ["1f1b", "1f1b", "gpipe", "1f1b", "zb", "zb"][LAYOUT];
const M : int = 6;
const L : int = 7;
place all = ranks(0..PP);
place grid = ranks(0..PP) as (pp = PP);
param w : [i in 0..L] f32[5, 5] @ grid[pp = i % PP] = normal(std = 0.4);
param u : f32[5, 5] @ all = normal(std = 0.4);
fn model[n](x: f32[n, 5] @ grid[pp = 0], mask: f32[5, 5] @ grid[pp = 0], t: f32[n, 5] @ all) -> f32 @ all {
    var h = x @ mask;
    for i in 0..L {
        h = h to @grid[pp = i % PP];
        h = h + tanh(h @ w[i]);
        if i == 3 {
            let z = h to @all : S(0);
            h = (z + sin(z @ u)) to B;
        }
    }
    let y = h to @all : S(0);
    let d = y @ u - (t to S(0));
    return mean(d * d) to B;
}
fn norm[n](x: f32[n, 5] @ grid[pp = 0], mask: f32[5, 5] @ grid[pp = 0], t: f32[n, 5] @ all) -> f32 @ grid[pp = 0] {
    let dx = grad(model, wrt = "x")(x, mask, t);
    return sum(dx * dx);
}
main {
    let x = reshape(cos(iota(36 * 5) as f32), [36, 5]);
    let t = reshape(sin(iota(36 * 5) as f32), [36, 5]);
    let mask = reshape(cos(iota(25) as f32), [5, 5]);
    for step in 0..2 {
        let (l, g) = microbatch(M, schedule = ORDER, whole = mask) {
            value_and_grad(model)(x to @grid[pp = 0], mask to @grid[pp = 0], t to @all)
        };
        let (l2, g2) = microbatch(M / 2, schedule = ORDER, whole = mask) {
            value_and_grad(norm)(x to @grid[pp = 0], mask to @grid[pp = 0], t to @all)
        };
        print(l, l2, g.u, g2.u, g.w[0], g2.w[0], g.w[6], g2.w[L - 1]);
        if l2 > 0.0001 { optim.sgd(g, lr = 0.1); } else { optim.sgd(g2, lr = 0.1); }
    }
    for rep in 0..3 {
        for k in 0..2 {
            let e = microbatch(3, whole = mask) { model(x to @grid[pp = 0], mask to @grid[pp = 0], t to @all) * (k as f32 + 1.0) };
            print(rep, k, e);
        }
    }
}
