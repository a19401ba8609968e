// Three blocks of 3 x 3 convolution, group norm and relu, two of them pooled, and one linear layer; AdamW, 100 images of 28 x 28.
import std.loss;
import std.nn;
import std.optim;
const N : int = 1;     /// ranks
const B : int = 100;   /// images a step, of all ranks
const C : int = 8;   /// channels of the first block
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 20;
place all = ranks(0..N);
struct Conv[i, o, p: place] { k : f32[o, i, 3, 3] @ p = nn.he(), scale : f32[o] @ p = ones(), shift : f32[o] @ p = zeros() }
param first  : Conv[1, C, all];
param second : Conv[C, 2 * C, all];
param third  : Conv[2 * C, 4 * C, all];
param w : f32[4 * C * 49, 10] @ all = nn.lecun();
param b : f32[10] @ all = zeros();
state x : f32[B, 1, 28, 28] @ all : S(0) = zeros();
state t : i32[B] @ all : S(0) = zeros();
fn block[n, i, o, y, z, p: place](x: f32[n, i, y, z] @ p : S(0), c: Conv[i, o, p]) {
    return nn.conv_block(x, c.k, c.scale, c.shift, groups = 4);
}
fn objective(x: f32[B, 1, 28, 28] @ all : S(0), t: i32[B] @ all : S(0)) {
    let h = max_pool2d(block(x, first));
    let g = max_pool2d(block(h, second));
    return loss.cross_entropy(nn.linear(flatten(block(g, third)), w, b), t, smoothing = 0.05) to B;
}
main {
    x = uniform(rng(1), [B, 1, 28, 28]) to @all : S(0);
    t = randint(rng(2), [B], 0, 10) to @all : S(0);
    for i in 0..steps {
        let (l, g) = mixed FACTORS { value_and_grad(objective)(x, t) };
        optim.adamw(g, lr = 0.001);
    }
}
