// Loops of functions that are differentiated, in micro-batches: in stages of a pipeline, and through several of them. As loops and turn by turn,
// on any number of ranks the same.
//% ranks 1 2
//% also --loops=unrolled
import std.optim;
const N : int = 2;
const M : int = 4;
place grid = ranks(0..N) as (pp = N);
param a : f64[6, 8] @ grid[pp = 0] = ramp([6, 8], 5);
param b : f64[8, 8] @ grid[pp = N - 1] = ramp([8, 8], 3) * 0.3;
param c : f64[8, 8] @ grid[pp = 0] = ramp([8, 8], 7) * 0.3;

fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }

fn within[n](x: f64[n, 6] @ grid[pp = 0]) -> f64 @ grid[pp = N - 1] {
    var h0 = x @ a;
    for t in 0..4 { h0 = tanh(h0 @ c * 1.1 + t * 0.1); }
    var h = h0 to @grid[pp = N - 1];
    for t in 0..5 { h = tanh(h @ b); }
    return mean(h * h);
}
fn through[n](x: f64[n, 6] @ grid[pp = 0]) -> f64 @ grid[pp = 0] {
    var h = x @ a;
    for t in 0..3 {
        for s in 0..2 { h = tanh(h @ c + s); }
        let far = tanh((h to @grid[pp = N - 1]) @ b + t);
        h = (far to @grid[pp = 0]) @ c;
    }
    return mean(h * h);
}
fn counted[n](x: f64[n, 6] @ grid[pp = 0], turns: int) -> f64 @ grid[pp = 0] {
    var h = x @ a;
    for t in 0..turns { h = (tanh((h @ c) to @grid[pp = N - 1]) @ b) to @grid[pp = 0]; }
    return mean(h * h);
}
config turns : int = 3;                 // known when the program runs: in no micro-batch, though beside some
main {
    let x = ramp([24, 6], 7);
    for step in 0..2 {
        let (l, g) = microbatch(M, schedule = "1f1b") { value_and_grad(within)(x to @grid[pp = 0]) };
        print(l);
        print(g.a[0]);
        print(g.b[0]);
        print(g.c[0]);
        optim.sgd(g, lr = 0.1);
        let (m, d) = microbatch(M, schedule = "gpipe") { value_and_grad(through)(x to @grid[pp = 0]) };
        print(m);
        print(d.a[0]);
        print(d.b[0]);
        print(d.c[0]);
        optim.sgd(d, lr = 0.1);
        let (k, f) = value_and_grad(counted)(x to @grid[pp = 0], turns);
        let (i, e) = microbatch(M) { value_and_grad(within)(x to @grid[pp = 0]) };
        print(k + (i to @grid[pp = 0]));
        print(f.a[0]);
        print(e.a[0]);
    }
}
