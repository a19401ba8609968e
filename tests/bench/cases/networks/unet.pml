// A U-Net of two levels on 4 images of 64 x 64, group normalisation, transposed convolutions upwards; Adam.
import std.loss;
import std.nn;
import std.optim;
const N : int = 4;
config steps : int = 4;
struct Conv[i, o] { k : f32[o, i, 3, 3] = nn.he(), scale : f32[o] = ones(), shift : f32[o] = zeros() }
struct Up[i, o] { k : f32[i, o, 2, 2] = nn.he() }
struct Pair[i, o] { a : Conv[i, o], b : Conv[o, o] }
param d1 : Pair[1, 16];
param d2 : Pair[16, 32];
param mid : Pair[32, 64];
param u2 : Up[64, 32];
param c2 : Pair[64, 32];
param u1 : Up[32, 16];
param c1 : Pair[32, 16];
param out : f32[1, 16, 1, 1] = nn.he();
fn cb(x, c) { return relu(nn.groupnorm(conv2d(x, c.k, pad = 1), c.scale, c.shift, groups = 8)); }
fn pair(x, p) { return cb(cb(x, p.a), p.b); }
fn objective(x, t) {
    let a = pair(x, d1);
    let b = pair(max_pool2d(a), d2);
    let m = pair(max_pool2d(b), mid);
    let e = pair(concat([conv_transpose2d(m, u2.k, stride = 2), b], dim = 1), c2);
    let f = pair(concat([conv_transpose2d(e, u1.k, stride = 2), a], dim = 1), c1);
    return loss.binary_cross_entropy(conv2d(f, out), t);
}
main {
    let x = normal(rng(1), [N, 1, 64, 64]);
    let t = (normal(rng(2), [N, 1, 64, 64]) > 0.0) as f32;
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(x, t);
        optim.adam(g, lr = 0.001);
    }
}
