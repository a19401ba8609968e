// An all-gather in which each of N ranks packs BYTES: see exchange.sh.
const N : int = 2;
const BYTES : int = 131072;
place all = ranks(0..N);
param x : f32[N, BYTES / 4] @ all : S(0) = ones();
main {
    for i in 0..200 {
        let y = x to B;
        x = x * 0.5 + y[0, 0] * 0.001;
    }
}
