// Loops of which each line makes its own number of turns, checks and loops with conditions in branches that not all lines take: all lines
// at a time, split too, against one after the other, with gradients inside and outside.
//% ranks 1 3 (2) (4)
const N : int = 1;
place p = ranks(0..N);
fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }
param u : f64[6, 6] @ p = ramp([6, 6], 3) * 0.3;
param b : f64[6] @ p = ramp([6], 2);
op near(a[..], b[..]) -> [..] = abs(a - b);
fn same(a, b) { assert(max(near(a to B, b to B)) < 1e-12); }

fn root_of(x: f64[6]) { var y = x; var n = 0; while abs(y[0] * y[0] - 2.0) > 1e-12 { y = 0.5 * (y + 2.0 / y); n = n + 1; } return sum(y) + n as f64; }
fn counted(x: f64[6], n: i64[]) { var h = b; for i in 0..n { h = tanh(h @ u + x * i as f64); } return sum(h * x); }
fn halved(x: f64[6]) { var h = x; while sum(h * h) > 0.3 { h = tanh(h @ u) * 0.8; } return sum(h * x); }
fn left(x: f64[6]) { var h = x; for i in 0..8 { h = tanh(h @ u) * 0.9; if sum(h * h) < 0.2 { break; } } return sum(h * x); }
fn pieces(x: f64[6]) { var h = x; remat every 3 while sum(h * h) > 0.1 { h = tanh(h @ u) * 0.9; } return sum(h * x); }
fn nested(x: f64[6], n: i64[]) {
    var h = x;
    for i in 0..n { var y = h; while sum(y * y) > 0.5 { y = y * 0.7; } h = tanh(y @ u + 0.1 * x * i as f64); }
    return sum(h * h);
}
fn looked(x: f64[6]) { var s = sum(x); if x[0] > 0.0 { s = s + b[(x[0] * 6.0 - 3.0) as i32] * x[1]; } return s; }
fn walks(x: f64[6], n: i64[]) { var at = 0; var s = 0.0; while at < n { s = s + b[at] * x[at]; at = at + 1; } return s; }
fn asked(x: f64[6]) { var s = sum(x); if s > 0.0 { var y = x; while max(y) > 0.1 { y = y * 0.5; } s = sum(y * x); } return s; }
fn never(x: f64[6]) { var s = sum(x); if x[0] > 0.0 { var k = 1.0; while k != 8.0 { k = k * 2.0; } s = s * k; } return s; }
fn digits(n: i64[]) { var s = 0; var k = n; while k > 0 { s = s + k % 10; k = floor_div(k, 10); } return s; }
fn chosen(x: f64[6], ws: f64[3, 6], n: i64[]) { var s = 0.0; for i in 0..n { s = s + sum(tanh(x * ws[i])); } return s; }
fn kept(x: f64[6]) { var h = x; var all = zeros([4, 6]) as f64 to @p; for i in 0..4 { h = tanh(h @ u + 0.2); all[i] = h; if h[0] > 0.1 { break; } } return sum(all * all); }
fn grows(x: f64[6], n: i64[], by: i64[]) { var k = 1 as i64; var s = 0.0; for i in 0..n { for j in 0..k { s = s + x[0]; } k = k * by; } return s; }
fn untaken(x: f64[6]) { var s = sum(x); if x[0] > 100.0 { var k = 1.0; while k != 3.0 { k = k * 2.0; } s = s * k; } return s; }
fn triangle(x: f64[4, 6], w: f64[6]) { var c = w; for k in 0..4 { for i in 0..k { c = c * x[i + 1] + 0.3 * x[i]; } } return sum(c * c); }
fn steep(x: f64[4, 6], w: f64[6]) { return sum(grad(triangle, wrt = "w")(x, w) ** 2); }
fn steep_at(x: f64[4, 6]) { return steep(x, b); }
fn total_steep(x, w) { return sum(vmap(steep)(x, w)) to B; }
fn slope(x: f64[6], n: i64[]) { return sum(grad(counted, wrt = "x")(x, n)); }
// Of lines that are done, or do not take the branch, the root and the quotient are undefined, and so are their slopes.
param a : f64 @ p = ones() * 0.5;
fn down(x: f64[]) -> f64 { var s = x; while s > 0.5 { s = s - sqrt(s - 0.5) * (a + 0.5) - 0.1; } return s; }
fn rooted(x: f64[]) -> f64 { var s = x; if s > 0.5 { s = s - sqrt(s - 0.5) + a / (s - 0.5) * 0.1; } return s; }
fn total_down(x) { return sum(vmap(down)(x)) + sum(vmap(rooted)(x)) to B; }
fn down_by_hand(x) { var t = 0.0; for i in 0..5 { t = t + down(x[i]) + rooted(x[i]); } return t; }
fn total(z) { return sum(vmap(halved)(z)) to B; }
fn total_left(z) { return sum(vmap(left)(z)) to B; }

main {
    let xs = ramp([5, 6], 5) to @p;
    let n = [3, 0, 5, 1, 2] as i64 to @p;
    let (s, ns) = (xs to S(0), n to S(0));
    let positive = xs * xs + 1.0;
    let (root, droot) = vmap(value_and_grad(root_of, wrt = "x"))(positive to S(0));
    let (c, gc) = vmap(value_and_grad(counted))(s, ns);
    let (h, gh) = vmap(value_and_grad(halved))(s);
    let (l, gl) = vmap(value_and_grad(left))(s);
    let (q, gq) = vmap(value_and_grad(pieces))(s);
    let (e, ge) = vmap(value_and_grad(nested))(s, ns);
    let (a, ga) = vmap(value_and_grad(asked, wrt = "x"))(s);
    let (cx, hx) = (vmap(grad(counted, wrt = "x"))(s, ns), vmap(grad(slope, wrt = "x"))(s, ns));
    let by = [1000000000000, 1, 1, 1, 1] as i64 to @p;   // a line that is done would make as many turns
    let (gr, un) = (vmap(grows)(s, [1, 4, 0, 2, 3] as i64 to @p : S(0), by to S(0)), vmap(untaken)(s));
    let (k, gk) = vmap(value_and_grad(kept))(s);
    let (lk, w) = (vmap(looked)(s), vmap(walks)(s, ns));
    let (nv, dg, ch) = (vmap(never)(s), vmap(digits)([907, 0, 12345, 8, 10] as i64 to @p : S(0)), vmap(chosen, over = ("x", "n"))(s, ramp([3, 6], 7) to @p, min(ns, 3)));
    for i in 0..5 {
        same(root[i] to B, root_of(positive[i]) to B); same(droot[i] to B, grad(root_of, wrt = "x")(positive[i]) to B);
        same(c[i] to B, counted(xs[i], n[i])); same(gc.u[i] to B, grad(counted)(xs[i], n[i]).u); same(gc.b[i] to B, grad(counted)(xs[i], n[i]).b);
        same(h[i] to B, halved(xs[i])); same(gh.u[i] to B, grad(halved)(xs[i]).u);
        same(l[i] to B, left(xs[i])); same(gl.u[i] to B, grad(left)(xs[i]).u);
        same(q[i] to B, pieces(xs[i])); same(gq.u[i] to B, grad(pieces)(xs[i]).u);
        same(e[i] to B, nested(xs[i], n[i])); same(ge.u[i] to B, grad(nested)(xs[i], n[i]).u);
        same(cx[i] to B, grad(counted, wrt = "x")(xs[i], n[i])); same(hx[i] to B, grad(slope, wrt = "x")(xs[i], n[i]));
        same(un[i] to B, untaken(xs[i])); same(gr[i] to B, xs[i, 0] * ([1.0, 4.0, 0.0, 2.0, 3.0] as f64)[i]);
        same(k[i] to B, kept(xs[i])); same(gk.u[i] to B, grad(kept)(xs[i]).u);
        same(a[i] to B, asked(xs[i])); same(ga[i] to B, grad(asked, wrt = "x")(xs[i]));
        same(lk[i] to B, looked(xs[i])); same(w[i] to B, walks(xs[i], n[i])); same(nv[i] to B, never(xs[i]));
        same(ch[i] to B, chosen(xs[i], ramp([3, 6], 7) to @p, min(n, 3)[i]));
    }
    same(grad(total)(s).u, sum(gh.u, dim = 0)); same(grad(total_left)(s).u, sum(gl.u, dim = 0));
    let (tx, tw) = (ramp([5, 4, 6], 7) * 0.4 to @p, ramp([5, 6], 3) to @p);
    let (sx, sw) = grad(total_steep, wrt = (0, 1))(tx to S(0), tw to S(0));
    for i in 0..5 { let (dx, dw) = grad(steep, wrt = (0, 1))(tx[i], tw[i]); same(sx[i] to B, dx); same(sw[i] to B, dw); }
    check_gradient(steep_at, tx[1], rtol = 1e-5);
    let y = [-1.0, 0.5, 4.0, 0.25, 2.0] as f64 to @p;
    same(grad(total_down)(y to S(0)).a, grad(down_by_hand)(y).a);
    same(grad(total_down, wrt = "x")(y to S(0)) to B, grad(down_by_hand, wrt = "x")(y) to B);
    print(dg to B, sum(w) to B);
}
