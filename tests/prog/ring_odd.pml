// A ring of tokens that nothing divides, on one rank, which takes them as one shard, and on several, which fill them up: attention, with its gradients.
//% layouts 0:1 1:2 2:3 (3:1)
//% rtol 1e-10
import std.nn;
const LAYOUT : int = 0;
const N : int = [1, 2, 3, 1][LAYOUT];
const SHARDS : int = [1, 2, 6, 1][LAYOUT];
const BLOCKS : int = [0, 0, 0, 3][LAYOUT];      // of both halves of the one shard: 9 tokens
const T : int = 17;
place all = ranks(0..N);
param q : f64[1, 4, T, 4] @ all : S(2) = normal();
param k : f64[1, 2, T, 4] @ all : S(2) = normal();
param v : f64[1, 2, T, 3] @ all : S(2) = normal();

fn cubes(y) { return sum(y * y * y) to B; }
fn ring(causal: bool) { return cubes(nn.ring_attention(q, k, v, shards = SHARDS, causal = causal, blocks = BLOCKS)); }
fn whole(causal: bool) { return cubes(nn.attention(q to B, k to B, v to B, causal = causal)); }
fn near(a, b) { return (max(abs(a - b)) to B) < 1e-10; }

main {
    for causal in [true, false] {
        let (l, g) = value_and_grad(ring)(causal);
        let (m, f) = value_and_grad(whole)(causal);
        print(near(l, m), near(g.q, f.q), near(g.k, f.k), near(g.v, f.v));
    }
}
