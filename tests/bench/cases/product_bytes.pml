// A product of matrices of N x N whole numbers of 8 bits, summed up in 32.
const N : int = 1024;
config steps : int = 20;
place all = ranks(0..1);
state a : i8[N, N] @ all = zeros();
state b : i8[N, N] @ all = zeros();
state c : i32[N, N] @ all = zeros();
main {
    a = (normal(rng(1), [N, N]) * 40.0) as i8 to @all;
    b = (normal(rng(2), [N, N]) * 40.0) as i8 to @all;
    for i in 0..steps { c = (a as i32) @ (b as i32); }
}
