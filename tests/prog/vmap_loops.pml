// Functions with loops and branches for each line of their arguments, which are split: all lines at a time, against one after the other. What lines
// may not agree on (which way a branch goes), lists of params, gradients inside and outside, segments, tapes, loops in loops, vmap in vmap.
//% ranks 1 (2) 3 (4)
//% also --loops=unrolled
const N : int = 1;
config runs : int = 3;
place p = ranks(0..N);
fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }
param u : f64[6, 6] @ p = ramp([6, 6], 3) * 0.3;
param b : f64[6] @ p = ramp([6], 2);
param ws : [3] f64[6, 6] @ p = ramp([6, 6], 5) * 0.2;
op near(a[..], b[..]) -> [..] = abs(a - b);
fn same(a, b) { assert(max(near(a to B, b to B)) < 1e-12); }

fn rnn(x: f64[4, 6]) { var h = zeros([6]) as f64 to @p; for i in 0..4 { h = tanh(h @ u + x[i] + b); } return sum(h * h); }
fn states(x: f64[4, 6]) { var h = b; var all = zeros([4, 6]) as f64 to @p; for i in 0..4 { h = tanh(h @ u + x[i]); all[i] = h; } return all; }
fn back(x: f64[4, 6]) { var h = b; for i in 0..4 { h = tanh(h @ u + x[3 - i]); } return h; }
fn nested(x: f64[4, 6]) { var h = b; for i in 0..4 { var y = x[i]; for j in 0..3 { y = tanh(y @ u + 0.1 * h) * (i + j) as f64; } h = h + y; } return sum(h); }
fn counted(x: f64[4, 6], n: i64[]) { var h = b; for i in 0..n { h = tanh(h @ u + x[0]); } return h; }
fn many(x: f64[6]) { var h = x; for w in ws { h = tanh(h @ w); } return sum(h); }
fn gated(x: f64[6]) { var h = x; if sum(x) > 0.0 { h = tanh(h @ u); } else { h = h * 2.0; if max(x) > 0.5 { h = h + b; } } return sum(h * x); }
fn gates(x: f64[4, 6]) { var h = b; for i in 0..4 { if x[i, 0] > 0.0 { h = tanh(h @ u + x[i]); } } return sum(h * h); }
fn newton(x: f64[6]) { var y = x; for k in 0..20 { y = 0.5 * (y + (x * x + 1.0) / (y + 3.0)); if k > 5 { break; } } return sum(y); }
fn pow2(x: f64[6]) { var a = 1.0; var i = 0; while i < 5 { a = a * 1.5; i += 1; } return sum(x) * a; }
fn inner(x: f64[6]) { return sum(tanh(x @ u) * x); }
fn descent(x: f64[6]) { var y = x; for k in 0..3 { let d = grad(inner, wrt = "x")(y); y = y - 0.1 * d; } return sum(y * y); }
fn looked(x: f64[6]) { var s = sum(x); if x[0] > 0.0 { s = s + b[(x[0] * 6.0 - 3.0) as i32] * x[1]; } return s; }   // b has six, and x[0] may be -0.7
fn shown(x: f64[6]) { var h = x; for i in 0..2 { h = tanh(h @ u); print("turn", i, h[0]); } return h; }
fn by_line(xs: f64[3, 6]) { return sum(vmap(gated)(xs)); }
fn total(z) { return sum(vmap(rnn)(z)) to B; }
fn total_gates(z) { return sum(vmap(gates)(z)) to B; }

main {
    let z = ramp([6, 4, 6], 5) to @p;
    let zs = z to S(0);
    let one = vmap(rnn)(z);
    let two = vmap(rnn)(zs) to B;
    let st = vmap(states)(zs) to B; let bk = vmap(back)(zs) to B; let ne = vmap(nested)(zs) to B;
    let g = vmap(grad(rnn))(zs); let gn = vmap(grad(nested))(zs); let gg = vmap(grad(gates))(zs);
    let ga = vmap(gates)(zs) to B;
    let (xs) = zs[0..6, 1];
    let gt = vmap(gated)(xs) to B; let ggt = vmap(grad(gated))(xs);
    let ma = vmap(many)(xs) to B; let gm = vmap(grad(many))(xs);
    let nw = vmap(newton)(xs) to B; let gnw = vmap(grad(newton, wrt = "x"))(xs);
    let pw = vmap(pow2)(xs) to B;
    let lk = vmap(looked)(xs to B);
    let sh = vmap(shown)(xs[0..2] to B);
    let ds = vmap(descent)(xs) to B;
    for i in 0..6 {
        same(one[i], rnn(z[i])); same(two[i], rnn(z[i]));
        same(st[i], states(z[i])); same(bk[i], back(z[i])); same(ne[i], nested(z[i]));
        same(g.u[i], grad(rnn)(z[i]).u); same(g.b[i], grad(rnn)(z[i]).b);
        same(gn.u[i], grad(nested)(z[i]).u);
        same(ga[i], gates(z[i])); same(gg.u[i], grad(gates)(z[i]).u);
        same(gt[i], gated(z[i, 1])); same(ggt.u[i], grad(gated)(z[i, 1]).u); same(ggt.b[i], grad(gated)(z[i, 1]).b);
        same(lk[i], looked(z[i, 1]));
        same(ma[i], many(z[i, 1])); same(gm.ws[1][i], grad(many)(z[i, 1]).ws[1]);
        same(nw[i], newton(z[i, 1])); same(pw[i], pow2(z[i, 1])); same(ds[i], descent(z[i, 1]));
    }
    same(grad(total)(zs).u, sum(g.u, dim = 0));
    same(grad(total_gates)(zs).u, sum(gg.u, dim = 0));
    print(shape(vmap(rnn)(z[0..0])), shape(vmap(gated)(zs[0..0, 1])));      // of no lines: none
    print(one, sum(gn.u to B), gt to B);
}
