// A network of three layers on given data, in several layouts: shares of the batch (dp), of the hidden units (tp), of the params.
import std.loss;
import std.optim;

const DP : int = 1;
const TP : int = 1;
const ROWS : int = 128;
const WIDTH : int = 512;
const SHARES : layout = B;    // S(0): each rank of dp keeps its share of the params
const SHARES1 : layout = SHARES; // of the first layer, …
const SHARES2 : layout = SHARES;
const SHARES3 : layout = SHARES;

place grid = ranks(0..DP * TP) as (dp = DP, tp = TP);

param w1 : f32[784, WIDTH]   @ grid : (dp=SHARES1, tp=S(1)) = normal(std = 0.05);
param b1 : f32[WIDTH]        @ grid : (dp=SHARES1, tp=S(0)) = zeros();
param w2 : f32[WIDTH, WIDTH] @ grid : (dp=SHARES2, tp=S(0)) = normal(std = 0.05);
param b2 : f32[WIDTH]        @ grid : (dp=SHARES2, tp=B)    = zeros();
param w3 : f32[WIDTH, 10]    @ grid : (dp=SHARES3, tp=B)    = normal(std = 0.05);

state x : f32[ROWS, 784] @ grid : (dp=S(0), tp=B) = normal(std = 1.0);
state t : i32[ROWS]      @ grid : (dp=S(0), tp=B) = zeros(dtype = i32);

fn objective[n](x: f32[n, 784] @ grid : (dp=S(0), tp=B), t: i32[n] @ grid : (dp=S(0), tp=B)) {
    let h = relu(x @ (w1 to (dp=B, tp=S(1))) + (b1 to (dp=B, tp=S(0))));
    let g = relu((h @ (w2 to (dp=B, tp=S(0))) to (dp=S(0), tp=B)) + (b2 to B));
    return loss.cross_entropy(g @ (w3 to B), t) to B;
}

main {
    for i in 0..200 {
        optim.sgd(grad(objective)(x, t), lr = 0.01);
    }
}
