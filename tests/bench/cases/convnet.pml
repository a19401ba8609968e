// Three blocks of 3 x 3 convolution, group norm and relu, two of them pooled, and one linear layer; AdamW, 100 images of 28 x 28.
import std.loss;
import std.nn;
import std.optim;
const N : int = 100;
const C : int = 8;   /// channels of the first block
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 20;
place all = ranks(0..1);
struct Conv[i, o, p: place] { k : f32[o, i, 3, 3] @ p = nn.he(), scale : f32[o] @ p = ones(), shift : f32[o] @ p = zeros() }
param first  : Conv[1, C, all];
param second : Conv[C, 2 * C, all];
param third  : Conv[2 * C, 4 * C, all];
param w : f32[4 * C * 49, 10] @ all = nn.lecun();
param b : f32[10] @ all = zeros();
state x : f32[N, 1, 28, 28] @ all = zeros();
state t : i32[N] @ all = zeros();
fn block[n, i, o, y, z, p: place](x: f32[n, i, y, z] @ p, c: Conv[i, o, p]) {
    return nn.conv_block(x, c.k, c.scale, c.shift, groups = 4);
}
fn objective(x: f32[N, 1, 28, 28] @ all, t: i32[N] @ all) {
    let h = max_pool2d(block(x, first));
    let g = max_pool2d(block(h, second));
    return loss.cross_entropy(nn.linear(flatten(block(g, third)), w, b), t, smoothing = 0.05);
}
main {
    x = uniform(rng(1), [N, 1, 28, 28]) to @all;
    t = randint(rng(2), [N], 0, 10) to @all;
    for i in 0..steps {
        let (l, g) = mixed FACTORS { value_and_grad(objective)(x, t) };
        optim.adamw(g, lr = 0.001);
    }
}
