// A mixture of experts: routing with capacity, tokens that find no place, balance, gradients; split over groups and experts. Values:
// expected.py (torch).
//% ranks 1 4 (2 3)
//% rtol 1e-4
import std.nn;
const N : int = 1;
const T : int = 6;
const D : int = 5;
const E : int = 4;
place p = ranks(0..N);

fn ramp(w, a: int) { return w * ((reshape((iota(volume(w)) * a % 23) as f32, shape(w)) - 11.0) * 0.1); }
param gate : f32[D, E] @ p = ones();
param up   : f32[E, D, 3] @ p : S(0) = ones();
param down : f32[E, 3, D] @ p : S(0) = ones();

fn layer(x: f32[4, T, D] @ p : S(0)) {
    let (table, place, weight, balance) = nn.route(x @ ramp(gate, 7), k = 2, capacity = 3);
    let z = nn.dispatch(x, table, experts = E) to S(1);
    let y = nn.experts(gelu(nn.experts(z, ramp(up, 5))), ramp(down, 3)) to S(0);
    return (nn.combine(y, place, weight, k = 2), balance, table);
}
fn objective(x: f32[4, T, D] @ p : S(0)) {
    let (y, balance, table) = layer(x);
    return (mean(y * y) to B) + 0.1 * balance;
}

main {
    let x = reshape((iota(4 * T * D) * 13 % 29) as f32 * 0.1 + iota(4 * T * D) as f32 * 0.003, [4, T, D]) - 1.4 to @p : S(0);
    let (y, balance, table) = layer(x);
    print(table to B, balance);
    print(y to B);
    let (l, g) = value_and_grad(objective)(x);
    print(l, g.gate, g.up to B, g.down to B);
}
