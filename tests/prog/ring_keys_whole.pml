// A ring whose keys are whole on all ranks while values and heads are split: its turns have not all one layout, so they are inferred one by one,
// those of the gradient too, which compute the call again.
//% layouts 0 2 1 3
//% rtol 1e-10
import std.nn;
const LAYOUT : int = 0;
const T : int = 12;
const C : int = [1, 2, 4, 3][LAYOUT];
place all = ranks(0..C) as (cp = [1, 1, 2, 3][LAYOUT], tp = [1, 2, 2, 1][LAYOUT]);
param q : f64[2, 4, T, 5] @ all : (cp=S(2), tp=S(1)) = normal();
param k : f64[2, 2, T, 5] @ all : (tp=B) = normal();
param v : f64[2, 2, T, 3] @ all : (tp=S(1)) = normal();

fn ring(shards: int) {
    let y = nn.ring_attention(q, k, v, shards = shards);
    return sum(y * y) to B;
}

fn whole() {
    let y = nn.attention(q to (tp=S(1)), k to (tp=S(1)), v, causal = true);
    return sum(y * y) to B;
}

fn equal(a, b) { return (max(abs(a - b)) to B) < 1e-12; }

main {
    let (m, f) = value_and_grad(whole)();
    print(m);
    let (s, e) = value_and_grad(ring)(6);
    print(s);                                                        // its gradient is in no result
    for shards in [6, 12] {
        let (l, g) = value_and_grad(ring)(shards);
        print(abs(l - m) < 1e-9, equal(g.q, f.q), equal(g.k, f.k), equal(g.v, f.v));
    }
}
