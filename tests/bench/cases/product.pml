// A product of matrices of N x N: HALF says whether elements are bf16.
const N : int = 1024;
const HALF : bool = false;
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 20;
place all = ranks(0..1);
param a : f32[N, N] @ all = normal(std = 1.0);
param b : f32[N, N] @ all = normal(std = 1.0);
state c : f32[N, N] @ all = zeros();
state ha : bf16[N, N] @ all = zeros();
state hb : bf16[N, N] @ all = zeros();
state hc : bf16[N, N] @ all = zeros();
main {
    ha = a as bf16;
    hb = b as bf16;
    for i in 0..steps { if HALF { hc = ha @ hb; } else { c = mixed FACTORS { a @ b }; } }
}
