// Attention as a ring over split tokens is attention, with its gradients, however many shards there are and with fewer heads of keys.
//% layouts 0 1 2 (3)
//% rtol 1e-5
import std.nn;
const LAYOUT : int = 0;
const C : int = [1, 2, 4, 3][LAYOUT];
const SHARDS : int = [4, 4, 4, 3][LAYOUT];            // two on each of two ranks
place all = ranks(0..C);
param q : f32[2, 4, 12, 5] @ all : S(2) = normal();
param k : f32[2, 2, 12, 5] @ all : S(2) = normal();
param v : f32[2, 2, 12, 3] @ all : S(2) = normal();

fn ring(causal: bool) {
    let y = nn.ring_attention(q, k, v, shards = SHARDS, causal = causal);
    return sum(y * y) to B;
}

fn whole(causal: bool) {
    let y = nn.attention(q to B, k to B, v to B, causal = causal);
    return sum(y * y) to B;
}

fn equal(a, b) { return (max(abs(a - b)) to B) < 1e-5; }

main {
    for causal in [true, false] {
        let (l, g) = value_and_grad(ring)(causal);
        let (m, f) = value_and_grad(whole)(causal);
        print(l, max(abs(l - m)) < 1e-4, equal(g.q, f.q), equal(g.k, f.k), equal(g.v, f.v));
    }
}
