// Loops whose turns are alike in runs: layers on stages and of several widths, a first turn that begins with something else, sizes that are
// the same in each turn of a run. Each run is a loop; derivatives are those of all turns one by one.
//% ranks 1 2 (4)
//% also --loops=unrolled
const N : int = 2;
const L : int = 8;
place grid = ranks(0..N) as (pp = N);
fn stage(i: int) { return floor_div(i * N, L); }
fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }
struct Layer[p: place] { w : f64[6, 6] @ p = ramp([6, 6], 5) * 0.4, b : f64[6] @ p = ramp([6], 3) }
param layers : [i in 0..L] Layer[grid[pp = stage(i)]];
param narrow : [3] f64[6, 6] @ grid[pp = 0] = ramp([6, 6], 7) * 0.3;
param wide : [2] f64[6, 6] @ grid[pp = 0] = ramp([6, 6], 9) * 0.3;

fn staged[n](x: f64[n, 6] @ grid[pp = 0]) -> f64 @ grid[pp = N - 1] {
    var h = x;
    for i in 0..L { h = tanh((h to @grid[pp = stage(i)]) @ layers[i].w + layers[i].b + 0.01 * i); }
    return mean(h * h);
}
fn again[n](x: f64[n, 6] @ grid[pp = 0]) -> f64 @ grid[pp = N - 1] {
    var h = x;
    remat every 3 for i in 0..L { h = tanh((h to @grid[pp = stage(i)]) @ layers[i].w + layers[i].b); }
    return sum(h);
}
fn sizes(x: f64[4, 6] @ grid[pp = 0]) -> f64 @ grid[pp = 0] {
    var h = 1.0;                                                  // a number before the first turn
    for i in 0..7 { h = h * 0.5 + sum(x[0..1 + floor_div(i, 3)] @ narrow[i % 3]); }
    return h;
}
fn listed(x: f64[4, 6] @ grid[pp = 0]) -> f64 @ grid[pp = 0] {
    var h = x;
    var total = sum(x) * 0.0;
    for v in [narrow[0], narrow[1], narrow[2], ramp([6, 3], 2), ramp([6, 3], 3), wide[0], wide[1]] {
        let y = tanh(h @ v);
        total = total + sum(y * y);
        if shape(v)[1] == 6 { h = y; }
    }
    return total;
}
main {
    let x = ramp([4, 6], 7) to @grid[pp = 0];
    let (l, g) = value_and_grad(staged)(x);
    print(l);
    for i in [0, 3, 4, L - 1] { print(g.layers[i].w[1], g.layers[i].b); }
    let (r, d) = value_and_grad(again)(x);
    print(r, d.layers[0].b, d.layers[L - 1].w[2]);
    let (s, e) = value_and_grad(sizes)(x);
    print(s, e.narrow[0][0], e.narrow[2][1]);
    let (t, f) = value_and_grad(listed)(x);
    print(t, f.narrow[1][1], f.wide[0][0], f.wide[1][2]);
}
