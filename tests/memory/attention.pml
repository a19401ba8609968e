// Causal attention of 4 heads over T tokens and its gradients; all scores at once would be T x T x 16 bytes, several times.
import std.nn;
const T : int = 4096;
place p = ranks(0..1);
param w : f32[3, 4, 256, 64] @ p = normal(std = 0.05);
fn loss(x) {
    let qkv[c, n, h, t, k] = sum[d] x[n, t, d] * w[c, h, d, k];
    let o = nn.attention(qkv[0], qkv[1], qkv[2]);
    return mean(o * o);
}
main {
    let x = normal(rng(1), [1, T, 256], std = 1.0) to @p;
    let (l, g) = value_and_grad(loss)(x);
    each (a, d) in g { a = a - d; }
    print(l);
}
