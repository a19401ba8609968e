// The norm of all gradients has the same bits however many stacks of layers, each of a stage, the sum is made of.
//% layouts 0 1 (2) 3
//% bits norm_of_stages
//% rtol 1e-6
import std.optim;

const LAYOUT : int = 0;
const PP : int = [1, 2, 3, 4][LAYOUT];
const L : int = 12;
const D : int = 6;
place grid = ranks(0..PP) as (pp = PP);

struct Layer[p: place] {
    up    : f32[D, 8] @ p = reshape((iota(D * 8) * 5 % 13) as f32 * 0.1, [D, 8]) - 0.6,
    down  : f32[8, D] @ p = reshape((iota(8 * D) * 7 % 11) as f32 * 0.1, [8, D]) - 0.5,
    shift : f32[D] @ p = full(0.01)
}
param layers : [s in 0..PP] [L / PP] Layer[grid[pp = s]];

fn model[n](x: f32[n, D] @ grid[pp = 0] : B) -> f32 @ grid[pp = PP - 1] : B {
    var h = x;
    for s in 0..PP {
        h = h to @grid[pp = s];
        for i in 0..L / PP {
            let w = layers[s][i];
            h = h + tanh(layernorm(h, ones([D]), w.shift) @ w.up) @ w.down;
        }
    }
    return mean(h * h);
}

main {
    for step in 0..3 {
        let x = reshape(cos(iota(24 * D) as f32), [24, D]) to @grid[pp = 0];
        let (l, g) = value_and_grad(model)(x);
        let n = optim.norm(g);
        print(format(l, digits = 9), format(n, digits = 9));
        assert(abs(n * n - optim.dot(g, g)) < 1e-4 * n * n);
        optim.sgd(g, lr = 0.05);
    }
}
