// Layers of LSTM and GRU cells over texts of different lengths, both ways, with gradients; losses of quantiles and of ln cosh; a matrix by its
// greatest singular value. Values: expected.py (torch, packed sequences).
//% ranks 1 (2) 3 (4)
//% rtol 1e-4
import std.loss;
import std.nn;
const N : int = 1;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
struct Cell { w : f32[3, 20] @ p = numbers([3, 20], 7), u : f32[5, 20] @ p = numbers([5, 20], 37), b : f32[20] @ p = numbers([20], 91) }
struct Gated { w : f32[3, 15] @ p = numbers([3, 15], 71), u : f32[5, 15] @ p = numbers([5, 15], 17), b : f32[15] @ p = numbers([15], 53), c : f32[15] @ p = numbers([15], 29) }
param there : Cell;
param back : Cell;
param gated : Gated;
param head : f32[10, 3] @ p = numbers([10, 3], 111);
state u : f32[3] @ p = [1.0, 2.0, -1.0];
state x : f32[6, 4, 3] @ p : S(0) = numbers([6, 4, 3], 13);
state n : i32[6] @ p : S(0) = [4, 1, 3, 2, 4, 3];

fn both(x, n) {
    let (y, h, c) = nn.lstm(x, there.w, there.u, there.b, lengths = n);
    let (z, g, d) = nn.lstm(x, back.w, 0.5 * back.u, back.b, lengths = n, reversed = true);
    return (concat([y, z]), concat([h, g]), concat([c, d]));
}
fn objective(x, n) {
    let (y, h, c) = both(x, n);
    let (q, u) = nn.spectral_norm(head, u);
    let quantiles = loss.quantile(h @ q, unsqueeze(sum(c, dim = 1), dim = 1), [0.1, 0.5, 0.9]) to B;
    return (quantiles + (loss.log_cosh(y, 0.3) to B) + (mean(square(c)) to B), u);
}
fn short(x, n) {
    let (y, h) = nn.gru(x, gated.w, gated.u, gated.b, gated.c);
    let (z, g) = nn.gru(x, gated.w, gated.u, gated.b, gated.c, lengths = n, reversed = true);
    return mean(y * z) + mean(h * g) to B;
}

main {
    let (y, h, c) = both(x, n);
    print(y to B, h to B, c to B);
    let ((l, next), g) = value_and_grad(objective)(x, n);
    print(l, next, g.there.w[1], g.there.b, g.back.u[2], g.head);
    let (s, d) = value_and_grad(short)(x, n);
    print(s, d.gated.w[0], d.gated.u[4], d.gated.c);
    print(sum(grad(short, wrt = "x")(x, n), dim = 2) to B);
}
