// A ring takes queries that alone are split, whose keys are whole on all ranks, and causal tokens that shards do not divide: it is attention,
// with its gradients. On a mesh heads may be split beside.
//% long
//% layouts 0 2 1 3
//% rtol 1e-10
import std.nn;
const LAYOUT : int = 0;
const T : int = 52;
const C : int = [1, 2, 4, 3][LAYOUT];
place all = ranks(0..C) as (cp = [1, 1, 2, 3][LAYOUT], tp = [1, 2, 2, 1][LAYOUT]);
param q : f64[2, 4, T, 5] @ all : (cp=S(2), tp=S(1)) = normal();
param k : f64[2, 2, T, 5] @ all : (tp=S(1)) = normal();
param v : f64[2, 2, T, 3] @ all : (tp=S(1)) = normal();

fn queries_alone(shards: int, zigzag: bool) {
    let y = nn.ring_attention(q, k, v, shards = shards, zigzag = zigzag);
    return sum(y * y) to B;
}
fn all_split(shards: int, zigzag: bool) {
    let y = nn.ring_attention(q, k to (cp=S(2), tp=S(1)), v to (cp=S(2), tp=S(1)), shards = shards, zigzag = zigzag);
    return sum(y * y) to B;
}

op put(x[n, h, t, e], i[u]: int) -> [n, h, u, e] = x[n, h, i, e];

fn whole(shards: int, zigzag: bool) {
    let back = if zigzag => argsort(nn.zigzag(T, shards = shards)) else iota(T);
    let y = nn.attention(put(q to (tp=S(1)), back), put(k, back), put(v, back));
    return sum(y * y) to B;
}

fn equal(a, b) { return (max(abs(a - b)) to B) < 1e-12; }

main {
    let (m, f) = value_and_grad(whole)(1, false);
    print(m);
    for shards in [12, 6] {                                           // of 5 tokens, of which the last has none; of 9
        let (l, g) = value_and_grad(queries_alone)(shards, false);
        print(abs(l - m) < 1e-9, equal(g.q, f.q), equal(g.k, f.k), equal(g.v, f.v));
        let (r, h) = value_and_grad(all_split)(shards, false);
        print(abs(r - m) < 1e-9, equal(h.q, f.q), equal(h.k, f.k), equal(h.v, f.v));
    }
    if LAYOUT < 3 {                                                   // halves of three shards do not divide 52 tokens
        let (n, e) = value_and_grad(whole)(2, true);
        let (l, g) = value_and_grad(queries_alone)(2, true);
        print(abs(l - n) < 1e-9, equal(g.q, e.q), equal(g.k, e.k), equal(g.v, e.v));
    } else { print(true, true, true, true); }
}
