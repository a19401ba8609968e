// Derivatives by the params of a list, taken by numbers that only the running program knows: in loops of the host, in functions, in micro-batches.
//% ranks 1 2 (3) (4)
//% also --loops=unrolled
import std.optim;
const N : int = 1;
config which : int = 2;
place p = ranks(0..N);
struct Layer { w : f32[3, 4] @ p : S(1) = ones(), b : f32 @ p = 0.5, deep : [2] f32[3] @ p = ones() }
param ws : [4] f32[3] @ p = ones();
param layers : [4] Layer;
param grid : [2] [3] f32[3] @ p = ones();
param apart : [3] f32[3] @ p = ones();
fn loss(x) {
    var h = x;
    for w in ws { h = tanh(h * w); }
    for l in layers { h = h * (finish(sum(l.w, dim = 1)) * 0.25) + l.b; h = tanh(h * l.deep[0]); }
    for row in grid { for q in row { h = tanh(h * q); } }
    return sum(h * apart[0] * apart[2]) + sum(apart[1]);
}
fn largest(g) { var m = 0.0; for i in 0..4 { m = maximum(m, max(abs(g.ws[i]))); } return m; }
fn steps(x) {
    let g = grad(loss)(x);
    var s = 0.0;
    for i in 0..4 { s = s + sum(g.ws[i]) * (i as f32) + sum(g.layers[3 - i].deep[0]); }
    return s;
}
main {
    let x = [0.1, 0.2, 0.3] to @p;
    let g = grad(loss)(x);
    for i in 0..4 { print(i, g.ws[i]); }
    for i in 0..4 { print(i, g.layers[i].w to B, g.layers[i].b, g.layers[i].deep[0], g.layers[i].deep[1]); }
    for i in 0..2 { for k in 0..3 { print(i, k, g.grid[i][k]); } }
    for i in 0..3 { print(g.apart[i]); }
    print(g.ws[which], g.layers[which].b, g.layers[0 - 1].b);
    for i in 0..4 {
        ws[i] = ws[i] - 0.1 * g.ws[i];
        layers[i].w = layers[i].w - 0.1 * g.layers[i].w;
        layers[i].b = layers[i].b - 0.1 * g.layers[i].b;
    }
    print(ws[2], layers[which].w to B, layers[1].b);
    print(largest(g), steps(x));
    let scaled = 2.0 * g;
    for i in 0..2 { print(scaled.ws[i] - g.ws[i]); }
    let m = microbatch(2, whole = x) { let t = grad(loss)(x); sum(t.ws[which]) };
    print(m);
    let known = grad(loss)(x);
    assert(max(abs(known.ws[which] - known.ws[2])) == 0.0 && known.layers[which].b == known.layers[2].b);
    assert(max(abs(known.layers[which].w - known.layers[2].w) to B) == 0.0 && max(abs(known.grid[which - 1][which] - known.grid[1][2])) == 0.0);
    assert(known.layers[-1].b == known.layers[3].b);
    let all = [known, 2.0 * known, grad(loss)(x * 0.5)];
    var sum_of = 0.0;
    for i in 0..3 { sum_of = sum_of + sum(all[i].ws[1]) + all[i].layers[i].b; }
    print(sum_of, sum(all[which].ws[which]), optim.norm(all[1]) - 2.0 * optim.norm(all[0]));
    for i in 0..3 { ws = ws - 0.1 * all[i]; }
    print(ws[3]);
}
