// A network with everything that the threads of a rank share: products of all kinds, convolutions, loops over large tensors.
// What is saved is compared byte for byte.
import std.loss;
import std.nn;
import std.optim;
const N : int = 1;
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 2;
config out : path = "model.safetensors";
place p = ranks(0..N);

param first : f32[8, 1, 3, 3] @ p = nn.he();
param second : f32[24, 8, 3, 3] @ p = nn.he();
param scale : f32[24] @ p = ones();
param shift : f32[24] @ p = zeros();
param q : f32[24, 24] @ p = nn.lecun();
param k : f32[24, 24] @ p = nn.lecun();
param h : f32[24, 96] @ p = nn.lecun();
param u : f32[24, 96] @ p = nn.lecun();
param b : f32[96] @ p = zeros();
param wide : f64[333, 1031] @ p = normal(std = 0.1);
param table : f32[5003, 24] @ p = normal(std = 0.5);
param w : f32[24, 1009] @ p = nn.lecun();
state turned : f64[1031, 333] @ p = zeros();
state sums : f64[333, 1031] @ p = zeros();
state best : i64[333] @ p = zeros();
state picture : f32[37, 1, 27, 29] @ p = zeros();
state token : i32[37, 40] @ p = zeros();

fn objective() {
    let x = conv2d(relu(conv2d(picture, first, pad = 1)), second, stride = 2, pad = 1);
    let y = mean(nn.groupnorm(x, scale, shift, 4), dim = [2, 3]);
    let e = embed(table, token) + reshape(y, [37, 1, 24]);
    let s = softmax((e @ q) @ transpose(e @ k) / 5.0);
    let r = s @ e;
    var a = e[0..37, 0];
    var c = a * 0.1;
    for t in 1..40 {
        let (n, m) = nn.lstm_cell(r[0..37, t], a, c, h, u, b);
        a = n;
        c = m;
    }
    let z = wide @ transpose(wide);
    return loss.cross_entropy(a @ w, token[.., 3]) + mean(square(gelu(wide) + tanh(wide) * 0.5)) as f32 + 0.001 * mean(z * z) as f32;
}

main {
    picture = uniform(rng(1), [37, 1, 27, 29]) to @p;
    token = randint(rng(2), [37, 40], 0, 1009) to @p;
    for i in 0..steps {
        let (l, g) = mixed FACTORS { value_and_grad(objective)() };
        optim.adamw(g, lr = 0.01);
        print(format(l, digits = 9));
    }
    turned = transpose(wide) * 0.5;
    sums = cumsum(softmax(wide), dim = 1) + sort(wide);
    best = argmax(wide, dim = 1) as i64;
    save(out);
}
