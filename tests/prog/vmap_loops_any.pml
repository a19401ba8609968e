// The same of loops whose turns only the running program knows, and of what is learnt in steps (Finn et al., 2017), tasks split over the ranks.
//% ranks 1 2 (3) (4)
//% also --reproducible
const N : int = 1;
config runs : int = 5;
place p = ranks(0..N);
fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }
param u : f64[6, 6] @ p = ramp([6, 6], 3) * 0.3;
param b : f64[6] @ p = ramp([6], 2);
param ws : [3] f64[6, 6] @ p = ramp([6, 6], 5) * 0.2;
op near(a[..], b[..]) -> [..] = abs(a - b);
fn same(a, b) { assert(max(near(a to B, b to B)) < 1e-12); }

fn counted(x: f64[6]) { var h = b; for i in 0..runs { h = tanh(h @ u + x); } return sum(h * x); }
fn segments(x: f64[6]) { var h = b; remat every 2 for i in 0..runs { h = tanh(h @ u + x); } return sum(h * x); }
fn whole(x: f64[6]) { var h = b; var t = 1.0; while t < 40.0 { h = tanh(h @ u + x); t = t * 2.0; } return sum(h * x); }
fn deep(x: f64[6]) { var h = b; for i in 0..runs { for j in 0..runs { h = tanh(h @ u + x * (i + j) as f64); } } return sum(h * h); }
fn tall(x: f64[6]) { var s = 0.0; for i in 0..runs { if x[0] * i as f64 > 0.3 { s = s + sum(tanh(x @ u)); } else { s = s * 0.5; } } return s; }
fn gate(x: f64[6]) { var h = x; for k in 0..2 { h = tanh(h @ u); if sum(h) > 0.0 { for i in 0..runs { h = h * (0.3 * (i as f64) + 0.2); } } } return sum(h); }
fn parts(x: f64[6]) { var h = x; for k in 0..2 { h = tanh(h @ u); if sum(h) > 0.0 { remat every 2 for i in 0..5 { h = tanh(h @ u + 0.1 * i as f64); } remat every 3 for i in 0..runs { h = h * 0.5 + b; } } } return sum(h * x); }
fn again(xs: f64[5, 6]) { var h = b; for k in 0..3 { h = sum(vmap(counted_from, over = 0)(xs, h), dim = 0) * 0.1 to B; } return sum(h * h) to B; }
fn counted_from(x: f64[6], from: f64[6]) { var h = from; for i in 0..runs { h = tanh(h @ u + x); } return h; }
fn again_by_hand(xs: f64[5, 6]) {
    var h = b;
    for k in 0..3 {
        var s = zeros([6]) as f64 to @p;
        for i in 0..5 { s = s + counted_from(xs[i], h); }
        h = s * 0.1;
    }
    return sum(h * h);
}
fn nest(x: f64[6]) { var s = 0.0; if x[0] > 0.0 { var h = x; for k in 0..3 { h = tanh(h @ u); if h[1] > 0.0 { h = h * 0.5 + b; } } s = sum(h); } return s + sum(x * x); }
fn looks(x: f64[6]) { let y = tanh(x @ u); print("max", max(y)); assert(max(y) < 1.0); var h = y; for k in 0..2 { h = tanh(h @ u); } return h; }
fn inner_vmap(x: f64[4, 6]) { var h = b; for k in 0..3 { h = tanh(sum(vmap(gated, over = 0)(x, h), dim = 0)); } return h; }
fn gated(x: f64[6], h: f64[6]) { var y = h; for w in ws { y = tanh(y @ w + x); } return y; }
fn root_of(x: f64[6]) { var y = x; while abs(y[0] * y[0] - 2.0) > 1e-12 { y = 0.5 * (y + 2.0 / y); } return sum(y); }
// MAML: a step on each task, the loss after it; over tasks.
fn fit(w: f64[6, 6], x: f64[4, 6], t: f64[4, 6]) { let d = tanh(x @ w) - t; return sum(d * d); }
fn task(x: f64[4, 6], t: f64[4, 6]) { var w = u; for k in 0..3 { w = w - 0.01 * grad(fit, wrt = "w")(w, x, t); } return fit(w, x, t); }
fn meta(x, t) { return sum(vmap(task)(x, t)) to B; }
fn meta_by_hand(x, t) { var s = 0.0; for i in 0..5 { s = s + task(x[i], t[i]); } return s; }

main {
    let xs = ramp([5, 6], 5) to @p;
    let z = ramp([5, 4, 6], 7) to @p;
    let t = ramp([5, 4, 6], 9) to @p;
    let s = xs to S(0);
    let zs = z to S(0);
    let (c, gc) = vmap(value_and_grad(counted))(s);
    let (m, gm) = vmap(value_and_grad(segments))(s);
    let (w, gw) = vmap(value_and_grad(whole))(s);
    let (d, gd) = vmap(value_and_grad(deep))(s);
    let (q, gq) = vmap(value_and_grad(tall))(s);
    let (n, gn) = vmap(value_and_grad(nest))(s);
    let (a, ga) = vmap(value_and_grad(gate))(s);
    let (r, gr) = vmap(value_and_grad(parts))(s);
    let gx = vmap(grad(parts, wrt = "x"))(s);
    let (e, ge) = value_and_grad(again)(s);
    let (f, gf) = value_and_grad(again_by_hand)(xs);
    same(e, f);
    same(ge.u, gf.u);
    let iv = vmap(inner_vmap)(zs);
    let l = vmap(looks)(xs);
    for i in 0..5 {
        same(c[i] to B, counted(xs[i])); same(m[i] to B, counted(xs[i])); same(w[i] to B, whole(xs[i])); same(d[i] to B, deep(xs[i]));
        same(q[i] to B, tall(xs[i])); same(n[i] to B, nest(xs[i])); same(iv[i] to B, inner_vmap(z[i]));
        same(r[i] to B, parts(xs[i])); same(gr.u[i] to B, grad(parts)(xs[i]).u); same(gx[i] to B, grad(parts, wrt = "x")(xs[i]));
        same(a[i] to B, gate(xs[i])); same(ga.u[i] to B, grad(gate)(xs[i]).u);
        same(gc.u[i] to B, grad(counted)(xs[i]).u); same(gm.u[i] to B, grad(counted)(xs[i]).u);
        same(gw.u[i] to B, grad(whole)(xs[i]).u); same(gw.b[i] to B, grad(whole)(xs[i]).b); same(gd.u[i] to B, grad(deep)(xs[i]).u);
        same(gq.u[i] to B, grad(tall)(xs[i]).u); same(gn.u[i] to B, grad(nest)(xs[i]).u); same(gn.b[i] to B, grad(nest)(xs[i]).b);
    }
    let (v, g) = value_and_grad(meta)(zs, t to S(0));
    let (vh, gh) = value_and_grad(meta_by_hand)(z, t);
    same(v, vh);
    same(g.u, gh.u);
    print(v, sum(vmap(root_of)(xs * xs + 1.0)), sum(l) to B);
}
