// Attention by blocks against attention with all scores at once, in f64, with derivatives and derivatives of those; attention_blocks.pml has the long list.
//% ranks 1 2
import std.nn;
const N : int = 1;
const T : int = 7;
place p = ranks(0..N);

fn loss(q, k, v, blocks: int) {
    let o = nn.attention(q, k, v, blocks = blocks);
    return sum(o * o * (reshape(iota(volume(o)) % 5, shape(o)) as f64)) to B;
}
fn steepness(q, k, v, blocks: int) { return sum(square(grad(loss, wrt = "q")(q, k, v, blocks))) to B; }
fn near(a, b) { assert(max(abs((a to B) - (b to B))) < 1e-12); }
main {
    let q = normal(rng(1), [2, 4, T, 4], dtype = f64) to @p : S(1);
    let k = normal(rng(2), [2, 2, T, 4], dtype = f64) to @p : S(1);
    let v = normal(rng(3), [2, 2, T, 4], dtype = f64) to @p : S(1);
    let (a, b, c) = grad(loss)(q, k, v, 1);
    let (d, e, f) = grad(loss)(q, k, v, 3);
    let (g, h) = (grad(steepness, wrt = "k")(q, k, v, 1), grad(steepness, wrt = "k")(q, k, v, 3));
    near(g / max(abs(g)) to B, h / max(abs(g)) to B);
    near(loss(q, k, v, 1), loss(q, k, v, 3));
    near(a, d); near(b, e); near(c, f);
    print(loss(q, k, v, 3), sum(abs(e)) to B);
}
