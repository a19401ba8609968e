// print, log and assert in micro-batches of stages: lines, records and checks of all micro-batches in their order, as of one stage, while the
// middle of the pipeline is a loop. What is shown is made in any stage and pass, carried from one micro-batch to the next, a line of what is
// cut, the same for all of them, or of turns and branches inside.
//% layouts 0 1 (2) (3) 4 (5) 6
//% also --loops=unrolled
const LAYOUT : int = 0;
const ORDER : string = ["1f1b", "1f1b", "1f1b", "gpipe", "zb", "gpipe", "zb"][LAYOUT];
const PP : int = [1, 2, 3, 2, 2, 3, 2][LAYOUT];
const DP : int = [1, 1, 1, 1, 2, 1, 1][LAYOUT];
const TURNS : int = [1, 1, 1, 1, 1, 1, 2][LAYOUT];
const M : int = 12;
const L : int = 6;
const D : int = 4;
place grid = ranks(0..PP * DP) as (pp = PP, dp = DP);
param layers : [i in 0..L] f32[D, D] @ grid[pp = floor_div(i * PP * TURNS, L) % PP] = (reshape((iota(D * D) * 5 % 13) as f32 * 0.1, [D, D]) - 0.6);
state seen : f32 @ grid[pp = 0] = 1.0;

fn layer[n, p: place](h: f32[n, D] @ p : (dp=S(0)), w: f32[D, D] @ p, i: int) -> f32[n, D] @ p : (dp=S(0)) {
    let y = tanh(h @ w * (1.0 + 0.1 * i));
    print("layer", i, max(y) to B);
    var z = y;
    for t in 0..2 {
        z = z * 0.9;
        let low = min(z) to B;
        if low < -0.05 { print(" low", i, t, z[0, 1] to B); }
    }
    log(layer = i, largest = max(z) to B);
    return z;
}
fn model[n](x: f32[n, D] @ grid[pp = 0] : (dp=S(0)), t: f32[n, D] @ grid[pp = PP - 1] : (dp=S(0)), whole: f32[3] @ grid[pp = 0]) -> f32 @ grid[pp = PP - 1] : B {
    print("was", seen, whole, 7, x[0] * 0.0 to B);
    print("rows", x to B);
    seen = seen * 1.5;
    var h = x;
    for i in 0..L { h = layer(h to @grid[pp = floor_div(i * PP * TURNS, L) % PP], layers[i], i); }
    print("now", seen, sum(seen * whole));
    assert((max(abs(h)) to B) < 2.0, "too large");
    return mean((h - t) ** 2) to B;
}

main {
    let x = reshape(iota(48 * D) as f32, [48, D]) * 0.01 - 0.9;
    let t = x * 0.5;
    let whole = [1.0, 2.0, 3.0] as f32;
    for step in 0..2 {
        let (l, g) = microbatch(M, schedule = ORDER, whole = whole) {
            let (l, g) = value_and_grad(model)(x to @grid[pp = 0] : (dp=S(0)), t to @grid[pp = PP - 1] : (dp=S(0)), whole to @grid[pp = 0]);
            print("loss", l, "of", step, "slope", sum(g.layers[0]) to B, sum(g.layers[L - 1]) to B);
            (l, g)
        };
        print(l, sum(g.layers[1]) to B);
    }
}
