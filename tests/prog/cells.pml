// Recurrent cells over time, attention with masks and biases, positions, activations, bags and cosines; with gradients. Values: expected.py (torch).
//% ranks 1 (2) 3
//% rtol 1e-4
import std.nn;
const N : int = 1;
const T : int = 4;
place p = ranks(0..N);

param w : f32[3, 20] @ p = ones();
param u : f32[5, 20] @ p = ones();
param b : f32[20] @ p = ones();
param c : f32[15] @ p = ones();

fn ramp(w, a: int) { return w * ((reshape((iota(volume(w)) * a % 23) as f32, shape(w)) - 11.0) * 0.1); }
fn numbers(sizes: shape, a: int) { return ramp(ones(sizes), a); }

fn lstm(x: f32[6, T, 3] @ p : S(0)) {
    var h = zeros([6, 5]);
    var s = zeros([6, 5]);
    for t in 0..T { (h, s) = nn.lstm_cell(x[.., t, ..], h, s, ramp(w, 7), ramp(u, 5), ramp(b, 3)); }
    return h + 2.0 * s;
}
fn gru(x: f32[6, T, 3] @ p : S(0)) {
    var h = ones([6, 5]);
    for t in 0..T { h = nn.gru_cell(x[.., t, ..], h, ramp(w, 7)[.., 0..15], ramp(u, 5)[.., 0..15], ramp(b, 3)[0..15], ramp(c, 2)); }
    return h;
}
fn rnn(x: f32[6, T, 3] @ p : S(0)) {
    var h = zeros([6, 5]);
    for t in 0..T { h = nn.rnn_cell(x[.., t, ..], h, ramp(w, 7)[.., 0..5], ramp(u, 5)[.., 0..5], ramp(b, 3)[0..5]); }
    return h;
}
fn of_lstm(x: f32[6, T, 3] @ p : S(0)) { return mean(square(lstm(x))) to B; }
fn of_gru(x: f32[6, T, 3] @ p : S(0)) { return mean(square(gru(x))) to B; }
fn of_rnn(x: f32[6, T, 3] @ p : S(0)) { return mean(square(rnn(x))) to B; }

fn crossed(q: f32[2, 4, 3, 6], k: f32[2, 2, 5, 6], seen: bool[2, 5]) -> f32 {
    return sum(square(nn.attention(q, k, k * 0.5, causal = false, mask = seen)));
}

main {
    let x = numbers([6, T, 3], 4) to @p : S(0);
    let (l1, g1) = value_and_grad(of_lstm)(x);
    print(lstm(x) to B, l1, g1.w[1], g1.u[4], g1.b);
    let (l2, g2) = value_and_grad(of_gru)(x);
    print(gru(x) to B, l2, g2.w[1], g2.u[4], g2.b, g2.c);
    let (l3, g3) = value_and_grad(of_rnn)(x);
    print(rnn(x) to B, l3, g3.w[1], g3.u[4], g3.b);

    let q = numbers([2, 4, 3, 6], 3) to @p;
    let k = numbers([2, 2, 5, 6], 5) to @p;
    let seen = reshape(iota(10) * 3 % 4 > 0, [2, 5]) to @p;
    let (gq, gk) = grad(crossed, wrt = ("q", "k"))(q, k, seen);
    print(crossed(q, k, seen), gq[1, 2], gk[0, 1]);
    let pairs = reshape(iota(30) * 3 % 5 > 1, [2, 3, 5]) to @p;
    print(sum(nn.attention(q, k, k, mask = pairs), dim = 3));
    print(sum(nn.attention(q, k, k, bias = nn.alibi(4, 3, 5)), dim = 3));
    print(nn.sinusoids(3, 6, first = 2) to @p);

    let y = iota(11) as f32 * 0.8 - 4.0 to @p;
    print(nn.elu(y), nn.elu(y, 0.5), nn.selu(y), nn.mish(y), nn.log_sigmoid(y * 20.0));
    print(nn.relu6(y * 2.0), nn.hard_sigmoid(y), nn.hard_swish(y), nn.glu(y[0..10]));
    print(grad(elus, wrt = "y")(y - 4.0, y * 0.0));
    let table = numbers([7, 4], 3) to @p;
    let ids = reshape(iota(6) as i32, [2, 3]) to @p;
    print(nn.embedding_bag(table, ids), nn.embedding_bag(table, ids, weights = ids as f32));
    print(nn.cosine(table, table * table + 0.1));
}
fn elus(x: f32[11], y: f32[11]) -> f32 { return sum(nn.elu(x) + nn.elu(y)); }
