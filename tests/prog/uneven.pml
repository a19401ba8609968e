// Sizes that no number of ranks divides: data, model and gradients in shares of different length. Values: expected.py (torch).
//% ranks 1 (2) 3 (4)
const N : int = 1;
place p = ranks(0..N);
param w1 : f32[7, 5] @ p : S(1) = full(0.1);
param c1 : f32[5] @ p : S(0) = full(0.2);
param w2 : f32[5, 3] @ p : S(0) = full(0.3);
param c2 : f32[3] @ p : B = zeros();

fn forward[n](x: f32[n, 7]) { let h = tanh(x @ w1 + c1); return (h @ w2 to B) + c2; }
fn loss[n](x: f32[n, 7] @ p : B) { let y = forward(x); return mean(y * y); }
fn data_parallel[n](x: f32[n, 7] @ p : S(0)) { let h = tanh(x @ (w1 to B) + (c1 to B)); let y = h @ (w2 to B) + c2; return mean(y * y) to B; }

main {
    let x = reshape((iota(77) % 13) as f32 * 0.1, [11, 7]) to @p;
    let (l, g) = value_and_grad(loss)(x);
    print(l, g.w1 to B, g.c1 to B, g.w2 to B, g.c2);
    let (l2, g2) = value_and_grad(data_parallel)(x to S(0));
    print(l2, g2.w1 to B, g2.c1 to B, g2.w2 to B, g2.c2);
    each (q, d) in g2 { q = q - 0.5 * d; }
    print(loss(x), w1 to B, c2);
    let rows = x to S(0);
    print(rows[3..10] to B, sum(rows, dim = 0) to B, (rows to S(1)) to B, argmax(rows) to B);
}
