// A ResNet of three residual blocks on 16 images of 32 x 32, batch normalisation; SGD with momentum.
import std.loss;
import std.nn;
import std.optim;
const N : int = 16;
config steps : int = 4;
struct Conv[i, o, s] { k : f32[o, i, s, s] = nn.he(), scale : f32[o] = ones(), shift : f32[o] = zeros() }
struct Block[i, o] { a : Conv[i, o, 3], b : Conv[o, o, 3] }
param stem : Conv[3, 64, 3];
param one : Block[64, 64];
param two : Block[64, 128];
param skip2 : Conv[64, 128, 1];
param three : Block[128, 256];
param skip3 : Conv[128, 256, 1];
param w : f32[256, 10] = nn.lecun();
param b : f32[10] = zeros();
state s0 : nn.Seen[64];
state s1 : [2] nn.Seen[64];
state s2 : [3] nn.Seen[128];
state s3 : [3] nn.Seen[256];
fn cbn(x, c, seen, stride: int, pad: int) { return nn.batchnorm(conv2d(x, c.k, stride = stride, pad = pad), c.scale, c.shift, seen); }
fn objective(x, t) {
    var h = relu(cbn(x, stem, s0, 1, 1));
    h = relu(h + cbn(relu(cbn(h, one.a, s1[0], 1, 1)), one.b, s1[1], 1, 1));
    h = relu(cbn(h, skip2, s2[2], 2, 0) + cbn(relu(cbn(h, two.a, s2[0], 2, 1)), two.b, s2[1], 1, 1));
    h = relu(cbn(h, skip3, s3[2], 2, 0) + cbn(relu(cbn(h, three.a, s3[0], 2, 1)), three.b, s3[1], 1, 1));
    return loss.cross_entropy(nn.linear(nn.global_pool(h), w, b), t);
}
main {
    let x = normal(rng(1), [N, 3, 32, 32]);
    let t = randint(rng(2), [N], 0, 10);
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(x, t);
        optim.sgd(g, lr = 0.01, momentum = 0.9);
    }
}
