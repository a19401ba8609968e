// Derivatives by a struct of params, with structs and lists of them in it, in micro-batches, are those of the whole step: in one stage
// and several, in any order, as they are, computed with and for each line of params side by side.
//% layouts 0 (1) (2) 3
//% also --loops=unrolled
//% bits microbatch_derivatives
const LAYOUT : int = 0;
const PP : int = [1, 2, 2, 2][LAYOUT];
const DP : int = [1, 1, 2, 1][LAYOUT];
const ORDER : string = ["gpipe", "1f1b", "gpipe", "zb"][LAYOUT];
const L : int = 4;
const LAST : int = PP - 1;
place grid = ranks(0..PP * DP) as (pp = PP, dp = DP);

fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.03; }
struct Layer[on: place] { w : f64[6, 6] @ on = ramp([6, 6], 7), b : f64[6] @ on = zeros() }
struct Net {
    up   : Layer[grid[pp = 0]],
    mid  : [i in 0..L] Layer[grid[pp = floor_div(i * PP, L)]],
    down : f64[6, 2] @ grid[pp = LAST] = ramp([6, 2], 5)
}
param net  : Net;
param many : f64[3, 6, 2] @ grid[pp = 0] = ramp([3, 6, 2], 9);

fn layer[on: place](h, l: Layer[on]) { return tanh(h @ l.w + l.b); }
fn loss[n](m: Net, x: f64[n, 6] @ grid[pp = 0] : (dp=S(0)), t: f64[n, 2] @ grid[pp = LAST] : (dp=S(0))) {
    var h = layer(x, m.up);
    for i in 0..L { h = layer(h to @grid[pp = floor_div(i * PP, L)], m.mid[i]); }
    return mean(square(h @ m.down - t)) to B;
}
fn linear[n](w: f64[6, 2] @ grid[pp = 0], x: f64[n, 6] @ grid[pp = 0] : (dp=S(0))) { return mean(square(x @ w - 0.5)) to B; }
fn same(a: Net, b: Net) {
    assert_close(a.up.w to B, b.up.w to B, rtol = 1e-12);
    for i in 0..L { assert_close(a.mid[i].b to B, b.mid[i].b to B, rtol = 1e-12); }
    assert_close(a.down to B, b.down to B, rtol = 1e-12);
}

main {
    let (data, at) = (ramp([16, 6], 3), ramp([16, 2], 4));
    let x = data to @grid[pp = 0] : (dp=S(0));
    let t = at to @grid[pp = LAST] : (dp=S(0));
    for step in 0..3 {
        let (l, g) = value_and_grad(loss, wrt = "m")(net, x, t);
        let (m, d) = microbatch(4, schedule = ORDER) { value_and_grad(loss, wrt = "m")(net, x, t) };
        assert_close(m, l, rtol = 1e-12);
        same(d, g);
        net -= 0.5 * d;
        print(m);
    }
    let start = many[1] + 0.0;
    let (some, half) = microbatch(2, whole = start) { let g = grad(linear, wrt = 0)(start, x); (each_third(g), 0.5 * g) };
    let rows = microbatch(2) { vmap(grad(linear, wrt = "w"), over = "w")(many, x) };
    let whole = grad(linear, wrt = 0)(start, x) to B;
    assert_close(rows[1] to B, whole, rtol = 1e-12);
    assert_close(some to B, whole, rtol = 1e-12);
    assert_close(2.0 * half to B, whole, rtol = 1e-12);
}
fn each_third(g) {
    var s = zeros([6, 2], dtype = f64);
    for i in 0..3 { s = s + g / 3.0; }
    return s;
}
