// The blocks of a network over pairs of residues (Jumper et al., 2021): attention along rows with a bias of the pairs, the mean of outer products over sequences, which
// ranks share, updates along both sides of triangles, attention about a node, a score of distances. Values: expected.py (torch).
//% ranks 1 2 (3 4)
//% rtol 2e-5
import std.loss;
import std.nn;
const N : int = 1;
const S_ : int = 6;                      // sequences
const L : int = 5;                       // residues
const C : int = 4;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f64 / 504.0 - 1.0, sizes); }
struct Attention { qkv : f64[C, 3, 2, 4] @ p, o : f64[2, 4, C] @ p, bias : f64[C, 2] @ p }
struct Side { a : f64[C, 3] @ p, ga : f64[C, 3] @ p, b : f64[C, 3] @ p, gb : f64[C, 3] @ p, o : f64[3, C] @ p, g : f64[C, C] @ p }
param rows : Attention = Attention(qkv = numbers([C, 3, 2, 4], 37), o = numbers([2, 4, C], 53), bias = numbers([C, 2], 71));
param node : Attention = Attention(qkv = numbers([C, 3, 2, 4], 91), o = numbers([2, 4, C], 13), bias = numbers([C, 2], 331));
param sides : [2] Side = Side(a = numbers([C, 3], 97), ga = numbers([C, 3], 59), b = numbers([C, 3], 101), gb = numbers([C, 3], 29), o = numbers([3, C], 17), g = numbers([C, C], 41));
param left : f64[C, 3] @ p = numbers([C, 3], 43);
param right : f64[C, 3] @ p = numbers([C, 3], 47);
param joined : f64[3, 3, C] @ p = numbers([3, 3, C], 61);
param bins : f64[C, 4] @ p = numbers([C, 4], 67);
param frame : f64[C, 3] @ p = numbers([C, 3], 73);
state msa : f64[S_, L, C] @ p : S(0) = numbers([S_, L, C], 79);
state pairs_ : f64[L, L, C] @ p = numbers([L, L, C], 83);
state bin : i64[L, L] @ p = reshape(iota(L * L) * 5 % 7 % 4, [L, L]);
state at : f64[L, 3] @ p = numbers([L, 3], 89);

fn attended(x, z, w) {
    let y = layernorm(x);
    let qkv[k, s, h, i, e] = sum[c] y[s, i, c] * w.qkv[c, k, h, e];
    let b[h, i, j] = sum[c] z[i, j, c] * w.bias[c, h];
    let a = nn.attention(qkv[0], qkv[1], qkv[2], causal = false, bias = b);
    let o[s, i, c] = sum[h, e] a[s, h, i, e] * w.o[h, e, c];
    return x + o;
}
fn outer_mean(m) {
    let x = layernorm(m);
    let (a, b) = (x @ left, x @ right);
    let o[i, j, u, v] = sum[s] a[s, i, u] * b[s, j, v];
    let whole = o to B;
    let z[i, j, c] = sum[u, v] whole[i, j, u, v] * joined[u, v, c];
    return z / S_ as f64;
}
fn along(z, w, outgoing: bool) {
    let x = layernorm(z);
    let (a, b) = (sigmoid(x @ w.ga) * (x @ w.a), sigmoid(x @ w.gb) * (x @ w.b));
    let from[i, j, c] = sum[k] a[i, k, c] * b[j, k, c];
    let into[i, j, c] = sum[k] a[k, i, c] * b[k, j, c];
    return z + sigmoid(x @ w.g) * (layernorm(if outgoing => from else into) @ w.o);
}
fn objective() {
    let m = attended(msa, pairs_, rows);
    var z = pairs_ + outer_mean(m);
    for i in 0..2 { z = along(z, sides[i], i == 0); }
    z = attended(z, layernorm(z), node);
    let l = loss.cross_entropy((z + permute(z, [1, 0, 2])) @ bins, bin);
    let points = (mean(m, dim = 0) to B) @ frame;
    let off = 1.0 - eye(L, dtype = f64);
    let miss = abs(distances(points, points, exact = true) - distances(at, at, exact = true));
    return (l - sum(sigmoid(1.0 - miss) * off) / sum(off), z);
}

main {
    let ((l, z), g) = value_and_grad(objective)();
    print(l as f32, z[1] as f32, z[4, 2] as f32);
    print(g.rows.qkv[1, 0] as f32, g.rows.bias as f32, g.node.o[1] as f32, g.node.bias as f32);
    print(g.sides[0].ga as f32, g.sides[0].b[2] as f32, g.sides[1].a as f32, g.sides[1].g as f32, g.left as f32, g.joined[1] as f32, g.frame as f32);
}
