// M rows times a matrix of 4096 x 4096: weights of f32, or of 8 or 4 bits.
import std.nn;
const M : int = 1;
const BITS : int = 32;
config steps : int = 20;
place all = ranks(0..1);
param w : f32[4096, 4096] @ all = normal(std = 0.02);
state q : i8[64, 64, 4096] @ all = zeros();
state pairs : u8[64, 32, 4096] @ all = zeros();
state scale : f32[64, 4096] @ all = zeros();
state x : f32[M, 4096] @ all = zeros();
state y : f32[M, 4096] @ all = zeros();
main {
    x = normal(rng(1), [M, 4096]) to @all;
    if BITS == 4 { (pairs, scale) = nn.quantize(w, bits = 4); } else { (q, scale) = nn.quantize(w); }
    for i in 0..steps {
        if BITS == 4 { y = nn.quantized(x, pairs, scale); } else if BITS == 8 { y = nn.quantized(x, q, scale); } else { y = x @ w; }
    }
}
