// A reduce-scatter in which each of N ranks packs about BYTES: see exchange.sh.
const N : int = 2;
const BYTES : int = 131072;
const E : int = floor_div(BYTES, 4 * (N - 1));
place all = ranks(0..N);
param x : f32[N, E] @ all : S(0) = ones();
param w : f32[N, N, E] @ all : S(0) = ones();
main {
    for i in 0..200 {
        x = x * 0.5 + (sum(w, dim = 0) to S(0));
        w = w * 0.5;
    }
}
