// A MobileNet of four separable convolutions on 16 images of 32 x 32, batch normalisation; SGD with momentum.
import std.loss;
import std.nn;
import std.optim;
const N : int = 16;
config steps : int = 4;
struct Sep[i, o] {
    d : f32[i, 1, 3, 3] = nn.he(), s1 : f32[i] = ones(), t1 : f32[i] = zeros(), p : f32[o, i, 1, 1] = nn.he(),
    s2 : f32[o] = ones(), t2 : f32[o] = zeros()
}
param stem : f32[32, 3, 3, 3] = nn.he();
param a : Sep[32, 64];
param b : Sep[64, 128];
param c : Sep[128, 128];
param d : Sep[128, 256];
param w : f32[256, 10] = nn.lecun();
param bb : f32[10] = zeros();
state sa : nn.Seen[32];
state sa2 : nn.Seen[64];
state sb : nn.Seen[64];
state sb2 : nn.Seen[128];
state sc : nn.Seen[128];
state sc2 : nn.Seen[128];
state sd : nn.Seen[128];
state sd2 : nn.Seen[256];
fn sep(x, m, u, v, stride: int) {
    let h = nn.relu6(nn.batchnorm(conv2d(x, m.d, stride = stride, pad = 1, groups = x.shape[1]), m.s1, m.t1, u));
    return nn.relu6(nn.batchnorm(conv2d(h, m.p), m.s2, m.t2, v));
}
fn objective(x, t) {
    var h = relu(conv2d(x, stem, pad = 1));
    h = sep(h, a, sa, sa2, 1);
    h = sep(h, b, sb, sb2, 2);
    h = sep(h, c, sc, sc2, 1);
    h = sep(h, d, sd, sd2, 2);
    return loss.cross_entropy(nn.linear(nn.global_pool(h), w, bb), t);
}
main {
    let x = normal(rng(1), [N, 3, 32, 32]);
    let t = randint(rng(2), [N], 0, 10);
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(x, t);
        optim.sgd(g, lr = 0.01, momentum = 0.9);
    }
}
