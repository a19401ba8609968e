// Functions for each line of their arguments: against loops by hand, of params and of arguments, split along the lines, nested, with derivatives inside and
// outside; what cannot be one map stays a loop.
//% ranks 1 (2) 3 (4)
//% also --loops=unrolled
import std.optim;
const N : int = 1;
place p = ranks(0..N);
fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }
param w : f64[6, 5] @ p = ramp([6, 5], 3);
param b : f64[5] @ p = ramp([5], 2);
param u : f64[6, 6] @ p = ramp([6, 6], 3) * 0.3;
param table : f64[7, 6] @ p = ramp([7, 6], 3);

fn loss(x: f64[6], t: f64[5]) { let d = tanh(x @ w + b) - t; return sum(d * d); }
fn two(x, y) { return (sum(x * y), x + y, 7); }
fn distance(x, y) { return sum((x - y) * (x - y)); }
fn to_all(x, ys) { return vmap(distance, over = 1)(x, ys); }
fn cubes(x) { return sum(x * x * x); }
fn all(x) { let (s, y, k) = vmap(two)(x, x * 2.0); return sum(s * s) + k * sum(y); }
fn all_by_hand(x) { var sum_of = 0.0; for i in 0..8 { sum_of = sum_of + sum(x[i] * x[i] * 2.0) * sum(x[i] * x[i] * 2.0) + 7 * sum(3.0 * x[i]); } return sum_of; }
fn words(i: i32[3]) { return sum(table[i] * table[i]); }
fn kept(x) { return sum(remat { tanh(x @ u) }); }
fn pair(xy) { let (x, y) = xy; return sum(x * y); }
fn turned(x) { return concat([x[3..6], x[0..3]]) * max(x) + argmax(x) as f64; }
// Loops and branches of the running program stay loops.
fn rnn(x: f64[4, 6]) { var h = zeros([6]) as f64 to @p; for i in 0..4 { h = tanh(h @ u + x[i]); } return sum(h * h); }
fn of_rnn(x) { return sum(vmap(rnn)(x)); }
fn shrunk(x: f64[6]) { var h = x; remat every 2 while sum(h * h) > 0.4 { h = tanh(h @ u) * 0.9; } return sum(h * h * x); }
fn of_shrunk(x) { return sum(vmap(shrunk)(x)); }
fn root_of(x: f64[]) { var y = x; while abs(y * y - x) > 1e-12 { y = 0.5 * (y + x / y); } return y; }

// Gradients of single rows, none longer than 1, averaged (Abadi et al., 2016).
fn clipped(x, t) { return optim.clip_norm(grad(loss)(x, t), 1.0); }
fn mean_clipped(x, t) { let g = vmap(clipped)(x, t); return each (q, d) in g => finish(sum(d, dim = 0) / 8.0); }
op near(a[..], b[..]) -> [..] = abs(a - b);
fn same(a, b) { assert(max(near(a to B, b to B)) < 1e-12); }

fn beside(x) { return concat([x[0..2], stack([sum(x), max(x)], dim = 0)]); }    // lists in f leave the lines split
fn weighed(x) { return logsumexp(beside(x)); }

// A block that is computed again reads a param, the same for all lines.
fn again(x: f64[6]) -> f64 @ p { let h = remat { let y = tanh((x to @p) @ w + b); y * 0.7 }; return sum(h * h); }

main {
    let x = ramp([8, 6], 5) to @p;
    let t = ramp([8, 5], 7) to @p;
    let (s, y, k) = vmap(two)(x, x * 2.0);
    print(s, sum(y), k);
    let (l, g) = vmap(value_and_grad(loss))(x, t);
    let (m, h) = vmap(value_and_grad(loss))(x to S(0), t to S(0));
    same(l, m);
    same(g.w, h.w);
    print(shape(g.w), shape(g.b));
    for i in 0..8 {
        let (a, d) = value_and_grad(loss)(x[i], t[i]);
        same(l[i], a);
        same(g.w[i], d.w);
        same(g.b[i], d.b);
    }
    print(vmap(to_all, over = "x")(x[0..2], x[3..6]), vmap(to_all, over = 0)(x to S(0), x[3..6]) to B);
    same(grad(all)(x), grad(all_by_hand)(x));
    let (v, dv) = vmap(jvp(cubes))(x, x);
    same(dv, 3.0 * v);
    same(vmap(pair)((x, x)), s * 0.5);
    print(jacobian(turned, x[0])[2], jacobian(tanh, x[0, 0..3]), jacobian(cubes, x[0]));
    print(vmap(words)([[1, 2, 3], [3, 4, 5]] as i32), sum(abs(vmap(grad(words))([[1, 2, 3], [3, 4, 5]] as i32).table)));
    same(vmap(grad(kept))(x).u[3], grad(kept)(x[3]).u);
    let z = ramp([3, 4, 6], 5) to @p;
    let r = vmap(grad(rnn))(z);
    for i in 0..3 { same(r.u[i], grad(rnn)(z[i]).u); }
    same(grad(of_rnn)(z).u, sum(r.u, dim = 0));
    let q = vmap(grad(shrunk))(x).u;
    for i in 0..8 { same(q[i], grad(shrunk)(x[i]).u); }
    same(grad(of_shrunk)(x).u, sum(q, dim = 0));
    print(vmap(rnn)(z), vmap(root_of)([1.0, 2.0, 9.0] as f64));
    let c = mean_clipped(x to S(0), t to S(0));
    var by_hand = zeros([6, 5]) as f64 to @p;
    for i in 0..8 { by_hand = by_hand + clipped(x[i], t[i]).w / 8.0; }
    same(c.w, by_hand);
    same(c.w, mean_clipped(x, t).w);
    let lines = vmap(beside)(x to S(0)) to B;
    let slopes = vmap(grad(weighed))(x to S(0)) to B;
    for i in 0..8 { same(lines[i], beside(x[i])); same(slopes[i], grad(weighed)(x[i])); }
    let of_blocks = vmap(grad(again, wrt = "x"))(x to S(0)) to B;
    for i in 0..8 { same(of_blocks[i], grad(again, wrt = "x")(x[i])); }
    optim.sgd(c, lr = 0.5);
    print(w[0], b);
}
