// Attention with masks of batches and heads, biases of each, soft caps, positions of each text: with gradients, batch or heads split. Values: expected.py (torch).
//% ranks 1 2 (3) 4
//% rtol 1e-4
import std.nn;
const N : int = 1;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
state q : f32[4, 4, 3, 8] @ p = numbers([4, 4, 3, 8], 37);
state k : f32[4, 2, 5, 8] @ p = numbers([4, 2, 5, 8], 53);
state bias : f32[4, 4, 3, 5] @ p = numbers([4, 4, 3, 5], 91);

fn seen(sizes: shape, a: int) { return reshape(iota(volume(ones(sizes))) * a % 7 > 1, sizes); }
fn each_head(q, k, bias, m) {
    let o = nn.attention(q, k, 0.5 * k, causal = false, mask = m, bias = bias, softcap = 0.7, scale = 0.9);
    return sum(square(o)) to B;
}
fn shared(q, k, bias) {
    let o = nn.attention(q, k, k, mask = seen([4, 1, 3, 5], 3) to @p, bias = bias[0, 0]);
    let c = nn.attention(q, k, k, bias = bias[.., 0..1, .., ..], softcap = 2.0, window = 3);
    return sum(o * c) to B;
}
fn placed(q) {
    let at = reshape([0, 0, 1, 0, 1, 2, 0, 0, 0, 5, 6, 7], [4, 3]);
    return nn.rotary(q, positions = at) + nn.rotary(q, positions = at, neighbours = true);
}

main {
    let m = seen([4, 4, 3, 5], 5) to @p;
    let (l, (dq, dk, db)) = value_and_grad(each_head, wrt = (0, 1, 2))(q, k, bias, m);
    print(l, dq[1, 2], dk[0, 1], db[3, 2]);
    let by_texts = grad(each_head, wrt = 0)(q to S(0), k to S(0), bias to S(0), m to S(0)) to B;
    let by_heads = grad(each_head, wrt = 0)(q to S(1), nn.repeat_heads(k, 2) to S(1), bias to S(1), m to S(1)) to B;
    print(max(abs(by_texts - dq)) < 1e-5, max(abs(by_heads - dq)) < 1e-5);
    let (s, (eq, ek, eb)) = value_and_grad(shared, wrt = (0, 1, 2))(q, k, bias);
    print(s, eq[1, 2], ek[0, 1], eb[0, 0], eb[1, 0, 1]);
    print(placed(q)[1, 2], max(abs((placed(q to S(2)) to B) - placed(q))) < 1e-6);
}
