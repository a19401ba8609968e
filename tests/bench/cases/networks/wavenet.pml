// A WaveNet of 8 gated layers, dilation 1 to 128, on 4 sounds of 2048 samples; Adam.
import std.loss;
import std.nn;
import std.optim;
const N : int = 4;
const T : int = 2048;
const C : int = 32;
const L : int = 8;
config steps : int = 4;
struct Layer {
    f : f32[C, C, 2] = nn.he(), g : f32[C, C, 2] = nn.he(), o : f32[C, C, 1] = nn.he(),
    s : f32[C, C, 1] = nn.he()
}
param first : f32[C, 1, 1] = nn.he();
param layers : [L] Layer;
param out : f32[256, C, 1] = nn.he();
fn objective(x, t) {
    var h = conv1d(x, first);
    var skip = zeros([N, C, T]);
    for i in 0..L {
        let by = 2 ** i;
        let p = pad(h, before = by, dim = 2);
        let y = tanh(conv1d(p, layers[i].f, dilation = by)) * sigmoid(conv1d(p, layers[i].g, dilation = by));
        skip = skip + conv1d(y, layers[i].s);
        h = h + conv1d(y, layers[i].o);
    }
    return loss.cross_entropy(permute(conv1d(relu(skip), out), [0, 2, 1]), t);
}
main {
    let x = normal(rng(1), [N, 1, T]);
    let t = randint(rng(2), [N, T], 0, 256);
    for i in 0..steps {
        let (l, g) = value_and_grad(objective)(x, t);
        optim.adam(g, lr = 0.001);
    }
}
