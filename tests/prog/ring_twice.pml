// The derivatives of a ring, which are made of other sums than its values (as_if), have derivatives themselves, and it has tangents.
//% ranks 1 2 (4)
//% rtol 1e-10
import std.nn;
const N : int = 1;
const T : int = 16;
place all = ranks(0..N);
param q : f64[1, 2, T, 4] @ all : S(2) = normal();
param k : f64[1, 1, T, 4] @ all : S(2) = normal();
param v : f64[1, 1, T, 3] @ all : S(2) = normal();

op put(x[n, h, t, e], i[u]: int) -> [n, h, u, e] = x[n, h, i, e];
fn cubes(y) { return sum(y * y * y) to B; }
fn squares(a, b, c) { return sum(a * a) + sum(b * b) + sum(c * c) to B; }

fn ring(q, k, v, zigzag) { return cubes(nn.ring_attention(q, k, v, shards = 2 * N, zigzag = zigzag)); }
fn plain(q, k, v) { return cubes(nn.attention(q, k, v)); }
fn steep_ring(q, k, v, zigzag) {
    let (a, b, c) = grad(ring, wrt = [0, 1, 2])(q, k, v, zigzag);
    return squares(a, b, c);
}
fn steep(q, k, v) {
    let (a, b, c) = grad(plain, wrt = [0, 1, 2])(q, k, v);
    return squares(a, b, c);
}
fn straight(q, k, v) { return ring(q, k, v, false); }
fn folded(q, k, v) { return ring(q, k, v, true); }
fn near(a, b, back) { return (max(abs(put(a to B, back) - b)) to B) < 1e-10 * (1.0 + max(abs(b))); }

main {
    for zigzag in [false, true] {
        let back = if zigzag => argsort(nn.zigzag(T, shards = 2 * N)) else iota(T);
        let (x, y, z) = (put(q to B, back), put(k to B, back), put(v to B, back));
        let (a, b, c) = grad(steep_ring, wrt = [0, 1, 2])(q, k, v, zigzag);
        let (d, e, f) = grad(steep, wrt = [0, 1, 2])(x, y, z);
        print(near(a, d, back), near(b, e, back), near(c, f, back));
        let (_, slope) = jvp(if zigzag => folded else straight)(q, k, v, q, k, v);
        let (_, expected) = jvp(plain)(x, y, z, x, y, z);
        print(abs(slope - expected) < 1e-10 * (1.0 + abs(expected)));
    }
}
