// A recurrence, unrolled over T tokens, of which a step is so small that the last bit of a gradient shows in the weights: a sum in another
// order is another file.
import std.optim;

const DP : int = 1;
const T : int = 3;
config out : path = "seeds.safetensors";
place grid = ranks(0..DP) as (dp = DP);
param x : f32[4, 12, 16] @ grid : (dp=S(0)) = normal(std = 1.0);
param w : f32[16, 32] @ grid = normal(std = 0.3);
param wc : f32[32, 4] @ grid = normal(std = 0.3);
param wb : f32[32, 4] @ grid = normal(std = 0.3);

fn objective() {
    let v = silu(x @ w);
    let cs = v @ wc;
    let bs = v @ wb;
    let add[n, t, e, z] = v[n, t, e] * bs[n, t, z];
    var h = add[.., 0, .., ..];
    var ys = [];
    for t in 0..T {
        if t > 0 { h = h + add[.., t, .., ..]; }
        let y[n, e] = sum[z] h[n, e, z] * cs[n, t, z];
        ys = ys + [y];
    }
    return sum(square(stack(ys, dim = 1))) to B;
}

main {
    optim.sgd(grad(objective)(), lr = 0.001);
    save(out);
}
