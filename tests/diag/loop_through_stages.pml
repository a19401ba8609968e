// A loop whose turns are counted at run time, through several stages of a pipeline.
// pmlc: --loops=kept
import std.loss;
import std.optim;
const PP : int = 2;
const M : int = 4;
place grid = ranks(0..PP) as (pp = PP);
param a : f64[6, 8] @ grid[pp = 0] = ramp([6, 8], 5);
param b : f64[8, 8] @ grid[pp = PP - 1] = ramp([8, 8], 3) * 0.3;
param c : f64[8, 8] @ grid[pp = 0] = ramp([8, 8], 7) * 0.3;
config turns : int = 3;
fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }

fn model[n](x: f64[n, 6] @ grid[pp = 0]) -> f64 @ grid[pp = 0] {
    var h = x @ a;
    for t in 0..turns { //~ PML0522@14
        for s in 0..2 { h = tanh(h @ c + s); }
        let far = tanh((h to @grid[pp = PP - 1]) @ b + t);
        h = (far to @grid[pp = 0]) @ c;
    }
    return mean(h * h);
}
main {
    let x = ramp([24, 6], 7);
    var step = 0;
    while step < 3 {
        let (l, g) = microbatch(M, schedule = "1f1b") {
            value_and_grad(model)(x to @grid[pp = 0])
        };
        print(l); print(g.a[0]); print(g.b[0]); print(g.c[0]);
        optim.sgd(g, lr = 0.1);
        step = step + 1;
    }
}
