// Attention without softmax, whose state is a matrix: retention, all tokens at once and one after the other (Sun et al., 2023), the delta rule (Schlag et al., 2021), gates
// for each row (Yang et al., 2024), and the exponential mean of RWKV with its running maximum (Peng et al., 2023). Values: expected.py (torch).
//% ranks 1 2 (3 4)
//% rtol 2e-5
//% also --loops=unrolled
import std.nn;
const N : int = 1;
const H : int = 2;
const E : int = 4;
const T : int = 9;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f64 / 504.0 - 1.0, sizes); }
param wq : f64[5, H, E] @ p = numbers([5, H, E], 37);
param wk : f64[5, H, E] @ p = numbers([5, H, E], 53);
param wv : f64[5, H, E] @ p = numbers([5, H, E], 71);
param wa : f64[5, H, E] @ p = numbers([5, H, E], 91);
param wb : f64[5, H] @ p = numbers([5, H], 13);
param decay : f64[8] @ p = numbers([8], 331);
param bonus : f64[8] @ p = numbers([8], 97);
state x : f64[6, T, 5] @ p : S(0) = numbers([6, T, 5], 101);

fn heads(x, w) { let y[n, h, t, e] = sum[d] x[n, t, d] * w[d, h, e]; return y; }
fn rates() { return 1.0 - 2.0 ** (-3.0 - iota(H) as f64); }
fn retention(q, k, v) {
    let far = unsqueeze(iota(T), dim = 1) - iota(T);
    let gamma = rates();
    let mask[h, i, j] = if far[i, j] >= 0 => gamma[h] ** (far[i, j] as f64) else 0.0;
    return (q @ transpose(k) * mask) @ v;
}
fn step_by_step(q, k, v, a) {
    var (s, out) = (0.0 * unsqueeze(q[.., .., 0, ..], dim = 3) * unsqueeze(v[.., .., 0, ..], dim = 2), 0.0 * v);
    for t in 0..T {
        let next[n, h, d, e] = s[n, h, d, e] * a[n, h, t, d] + k[n, h, t, d] * v[n, h, t, e];
        s = next;
        let o[n, h, e] = sum[d] q[n, h, t, d] * s[n, h, d, e];
        out[.., .., t, ..] = o;
    }
    return out;
}
fn delta(q, k, v, beta) {
    var (s, out) = (0.0 * unsqueeze(q[.., .., 0, ..], dim = 3) * unsqueeze(v[.., .., 0, ..], dim = 2), 0.0 * v);
    for t in 0..T {
        let old[n, h, e] = sum[d] s[n, h, d, e] * k[n, h, t, d];
        let next[n, h, d, e] = s[n, h, d, e] + k[n, h, t, d] * (v[n, h, t, e] - old[n, h, e]) * beta[n, h, t];
        s = next;
        let o[n, h, e] = sum[d] q[n, h, t, d] * s[n, h, d, e];
        out[.., .., t, ..] = o;
    }
    return out;
}
fn wkv(k, v) {
    var (a, b, m, out) = (0.0 * k[.., 0, ..], 0.0 * k[.., 0, ..], 0.0 * k[.., 0, ..] - 1e30, 0.0 * v);
    for t in 0..T {
        let (kt, vt) = (k[.., t, ..], v[.., t, ..]);
        let top = maximum(m, bonus + kt);
        let (old, new) = (exp(m - top), exp(bonus + kt - top));
        out[.., t, ..] = (old * a + new * vt) / (old * b + new);
        let next = maximum(m - exp(decay), kt);
        let (keep, take) = (exp(m - exp(decay) - next), exp(kt - next));
        (a, b, m) = (keep * a + take * vt, keep * b + take, next);
    }
    return out;
}
fn objective(x) {
    let (q, k, v) = (heads(x, wq), heads(x, wk), heads(x, wv));
    let a = retention(q, k, v);
    let b = step_by_step(q, k, v, broadcast(reshape(rates(), [H, 1, 1]), shape(q)));
    let u = nn.normalize(k);
    let beta[n, h, t] = sum[d] x[n, t, d] * wb[d, h];
    let c = delta(nn.normalize(q), u, v, sigmoid(beta));
    let d = step_by_step(q, u, v, sigmoid(heads(x, wa)));
    let flat = reshape(permute(k, [0, 2, 1, 3]), [x.shape[0], T, 8]);
    let e = wkv(flat, reshape(permute(v, [0, 2, 1, 3]), [x.shape[0], T, 8]));
    return (mean(square(a)) + mean(sin(b)) + mean(square(c)) + mean(abs(d)) + mean(e * e * e) to B, max(abs(a - b)) to B, c[1], d[1], e[1]);
}

main {
    let ((l, same, c, d, e), g) = value_and_grad(objective)(x);
    print(l as f32, same < 1e-12, (c to B)[1, T - 1] as f32, (d to B)[0, T - 1] as f32, (e to B)[T - 1] as f32);
    print(g.wq[1] as f32, g.wk[2] as f32, g.wv[3] as f32, g.wa[4] as f32, g.wb as f32, g.decay as f32, g.bonus as f32);
    print((grad(objective, wrt = "x")(x) to B)[5, 2] as f32);
}
