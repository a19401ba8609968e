//% fold 1 2 4
//% also -D MESH=(tp=S(0))
// Layouts of a mesh by name: of params, of what moves, of gradients, in structs and through a function's parameter.
place grid = ranks(0..4) as (dp = 2, tp = 2);
const HOW : int = 0;
const rows : layout = S(0);
const MESH : layout = if HOW == 0 => (dp=rows, tp=S(-1)) else B;
const ALL : list = [(dp=S(1)), MESH];

struct Net[on: place] { w : f32[4, 6] @ on : MESH = normal(std = 0.5) }
param net : Net[grid];
param b : f32[6] @ grid : (tp=rows) = ones();

fn like[l: layout](p: f32[..] : l, x: f32[..]) { return x to l; }
fn loss(x: f32[8, 4] @ grid : (dp=rows)) { return sum(square(x @ (net.w to B) + (b to B))) to B; }

main {
    let x = uniform(rng(1), [8, 4]) to @grid : (dp=rows);
    let (l, g) = value_and_grad(loss, grads : MESH)(x);
    net.w -= 0.1 * g.net.w;
    print(l, sum(like(net.w, net.w * 2.0) to B), sum(net.w to MESH to B));
    if ALL[0] == (tp=B, dp=S(1)) && ALL[0] != (tp=S(1)) && MESH != rows { print("alike", sum(g.b to B)); }
}
