// Parameters of several element types in several layouts, whose every element tells where it belongs.
//   weights --save=FILE            writes them        weights --weights=FILE --save=OTHER      reads and writes them again
const N : int = 1;                 /// ranks
config out  : path = "weights.safetensors";   /// where to save
config make : bool = false;                   /// fill the parameters first

place all = ranks(0..N);

op grid(n: int, m: int) -> [n, m] = 10 * n + m;
op cube(n: int, m: int, k: int) -> [n, m, k] = 100 * n + 10 * m + k;

param rows    : f32[5, 7]     @ all : S(0) = normal(std = 1.0);
param columns : f64[3, 8]     @ all : S(1) = normal(std = 1.0);
param whole   : f32[6]        @ all : B    = normal(std = 1.0);
param inner   : f32[2, 3, 5]  @ all : S(2) = normal(std = 1.0);
param brain   : bf16[4, 3]    @ all : S(0) = zeros();
param half    : f16[2]        @ all : S(0) = zeros();
param one     : f32[1, 1]     @ all : S(1) = zeros();

main {
    if make {
        rows    = grid(n = 5, m = 7) as f32;
        columns = grid(n = 3, m = 8) as f64 / 8.0;
        whole   = iota(6) as f32 - 2.5;
        inner   = cube(n = 2, m = 3, k = 5) as f32;
        brain   = grid(n = 4, m = 3) as bf16;
        half    = iota(2) as f16;
        one     = full(42.0, [1, 1]);
    }
    save(out);
}
