// Two all-to-alls in which each of N ranks packs about BYTES: see exchange.sh.
const N : int = 2;
const BYTES : int = 131072;
const E : int = floor_div(BYTES, 4 * (N - 1));
place all = ranks(0..N);
param x : f32[N, N, E] @ all : S(0) = ones();
main {
    for i in 0..200 { x = ((x to S(1)) * 0.5) to S(0); }
}
