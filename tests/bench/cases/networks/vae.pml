// A variational autoencoder 784-400-20 on 128 images; Adam.
import std.loss;
import std.nn;
import std.optim;
const N : int = 128;
config steps : int = 4;
param e1 : f32[784, 400] = nn.he();
param e1b : f32[400] = zeros();
param mu : f32[400, 20] = nn.lecun();
param mub : f32[20] = zeros();
param lv : f32[400, 20] = nn.lecun();
param lvb : f32[20] = zeros();
param d1 : f32[20, 400] = nn.he();
param d1b : f32[400] = zeros();
param d2 : f32[400, 784] = nn.lecun();
param d2b : f32[784] = zeros();
fn objective(x, key: rngkey) {
    let h = relu(nn.linear(x, e1, e1b));
    let m = nn.linear(h, mu, mub);
    let v = nn.linear(h, lv, lvb);
    let z = m + normal(key, [N, 20]) * exp(0.5 * v);
    let y = nn.linear(relu(nn.linear(z, d1, d1b)), d2, d2b);
    return (loss.binary_cross_entropy(y, x, reduction = "sum") + loss.kl_normal(m, v, reduction = "sum")) / N;
}
main {
    let x = uniform(rng(1), [N, 784]);
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(x, fold(rng(3), i));
        optim.adam(g, lr = 0.001);
    }
}
