// Attention as a ring over split tokens is attention, with its gradients, however many shards there are and with fewer heads of keys.
//% layouts 0:1 1:2 (2 3) 4:2 5:1
//% rtol 1e-5
import std.nn;
const LAYOUT : int = 0;
const C : int = [1, 2, 4, 3, 2, 1][LAYOUT];
const SHARDS : int = [4, 4, 4, 3, 2, 1][LAYOUT];      // two on each of two ranks, or one: then rolling on is rolling back; one in all
const T : int = 48;
place all = ranks(0..C);
param q : f32[2, 4, T, 5] @ all : S(2) = normal();
param k : f32[2, 2, T, 5] @ all : S(2) = normal();
param v : f32[2, 2, T, 3] @ all : S(2) = normal();

fn ring(causal: bool, zigzag: bool, blocks: int) {
    let y = nn.ring_attention(q, k, v, shards = SHARDS, causal = causal, zigzag = zigzag, blocks = blocks);
    return sum(y * y) to B;
}

op put(x[n, h, t, e], i[u]: int) -> [n, h, u, e] = x[n, h, i, e];

// In a zigzag the token of place i is number order[i]; `back` says at which place a token is.
fn whole(causal: bool, zigzag: bool) {
    let i = nn.zigzag(T, shards = SHARDS);
    let back = if zigzag => argsort(i) else iota(T);
    let y = nn.attention(put(q to B, back), put(k to B, back), put(v to B, back), causal = causal);
    return sum(y * y) to B;
}

fn equal(a, b) { return (max(abs(a - b)) to B) < 1e-5; }

main {
    for (causal, zigzag, blocks) in [(true, false, 0), (false, false, 2), (true, true, 0), (true, true, 2), (true, false, 4)] {
        let (l, g) = value_and_grad(ring)(causal, zigzag, blocks);
        let (m, f) = value_and_grad(whole)(causal, zigzag);
        // How a zigzag orders tokens depends on the number of shards.
        print(if zigzag => 0.0 * l else l, max(abs(l - m)) < 1e-4, equal(g.q, f.q), equal(g.k, f.k), equal(g.v, f.v));
    }
}
