// What stands in stages of a pipeline: none at all, no params, dropout by micro-batch, layers computed again, running means, values that go
// past stages, several results, gradients by inputs; forward alone; in a `while`. The same values and bits in 1 to 6 stages.
//% layouts 0 (1) (2) (3) (4) 5 (6)
//% rtol 1e-5
//% bits microbatch_stages
import std.loss;
import std.nn;
import std.optim;
const LAYOUT : int = 0;
const PP : int = [1, 2, 3, 4, 5, 6, 4][LAYOUT];
const ORDER : string = ["1f1b", "zb", "gpipe", "1f1b", "zb", "1f1b", "zb"][LAYOUT];
const M : int = 4;
place grid = ranks(0..PP) as (pp = PP);
const S1 : int = min(1, PP - 1); const S2 : int = min(2, PP - 1); const S3 : int = PP - 1;
param a : f32[6, 8] @ grid[pp = 0] = normal(std = 0.5);
param b : f32[8, 8] @ grid[pp = S2] = normal(std = 0.5);
param c : f32[8, 3] @ grid[pp = S3] = normal(std = 0.5);
state seen : f32[8] @ grid[pp = S1] = zeros();
state count : f32 @ grid[pp = S3] = zeros();

fn model[n](x: f32[n, 6] @ grid[pp = 0], t: i32[n] @ grid[pp = S3], key: rngkey) -> f32 @ grid[pp = S3] {
    let h0 = tanh(x @ a);
    var h = h0 to @grid[pp = S1];
    h = nn.dropout(h * h, fold(key, 1), p = 0.3) + sin(h);          // no params
    seen = 0.9 * seen + 0.1 * mean(h, 0);
    h = h - seen;
    h = h to @grid[pp = S2];
    h = remat { h + tanh(nn.dropout(h @ b, fold(key, 2), p = 0.2) @ b) };
    for s in S2 + 1..PP - 1 { h = h to @grid[pp = s]; }              // idle stages
    h = h to @grid[pp = S3];
    h = h + (h0 to @grid[pp = S3]) * (h0 to @grid[pp = S3]);
    count = count + 1.0;
    return loss.cross_entropy(h @ c, t);
}
fn logits[n](x: f32[n, 6] @ grid[pp = 0]) -> f32[n, 3] @ grid[pp = S3] {
    let h = tanh(x @ a) to @grid[pp = S2];
    return ((tanh(h @ b) to @grid[pp = S3]) @ c);
}
main {
    let x = reshape(cos(iota(24 * 6) as f32), [24, 6]);
    let t = (iota(24) % 3) as i32;
    var step = 0;
    while step < 3 {
        let (l, acc, g, norm) = microbatch(M, schedule = ORDER) {
            let (l, g) = value_and_grad(model)(x to @grid[pp = 0], t to @grid[pp = S3], rng(step));
            let hit = argmax(logits(x to @grid[pp = 0]), dim = 1) == (t to @grid[pp = S3]);
            let dx = grad(model, wrt = "x")(x to @grid[pp = 0], t to @grid[pp = S3], rng(step));
            (l, mean(hit as f32), g, sum(dx * dx))
        };
        print(l, acc, norm, count, seen);
        print(g.a, g.b, g.c);
        optim.adam(g, lr = 0.01);
        step = step + 1;
    }
    let acc = microbatch(M) { mean((argmax(logits(x to @grid[pp = 0]), dim = 1) == (t to @grid[pp = S3])) as f32) };
    print(acc);
}
