// Causal attention of 4 heads of 64 over T positions, forward and backward, and the update of queries, keys and values.
import std.nn;
import std.optim;
const T : int = 2048;
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 5;
place all = ranks(0..1);
param q : f32[1, 4, T, 64] @ all = normal(std = 1.0);
param k : f32[1, 4, T, 64] @ all = normal(std = 1.0);
param v : f32[1, 4, T, 64] @ all = normal(std = 1.0);
fn objective() -> f32 @ all { return mean(square(nn.attention(q, k, v))); }
main {
    for i in 0..steps {
        let (l, g) = mixed FACTORS { value_and_grad(objective)() };
        optim.sgd(g, lr = 0.001);
    }
}
