// The heat equation on SIZE x SIZE points in stripes of rows, STEPS times forward in each step of the benchmark: halos of one row.
const N : int = 2;       /// ranks
const SIZE : int = 2048;
config steps : int = 20;
place all = ranks(0..N);
state u : f32[SIZE, SIZE] @ all : S(0) = uniform(rng(1));
op step(u[i, j]) -> [i, j] = u[i, j] + 0.2 * (u[(i - 1)?, j] + u[(i + 1)?, j] + u[i, (j - 1)?] + u[i, (j + 1)?] - 4.0 * u[i, j]);
main {
    for i in 0..steps { u = step(u) to S(0); }
    print("largest", max(u) to B);
}
