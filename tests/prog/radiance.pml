// Colours along rays through a field of density that a network says: positions as waves, what is seen of each point, depth; with gradients.
// Values: expected.py (torch).
//% ranks 1 (2) 3 (4)
//% rtol 1e-4
import std.loss;
import std.nn;
const N : int = 1;
const M : int = 6;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
struct Field { w : f32[27, 16] @ p = 0.3 * numbers([27, 16], 7), b : f32[16] @ p = numbers([16], 91), v : f32[43, 4] @ p = 0.4 * numbers([43, 4], 37) }
param net : Field;
state from : f32[7, 3] @ p : S(0) = 0.2 * numbers([7, 3], 13);
state to_ : f32[7, 3] @ p : S(0) = numbers([7, 3], 331);
state at : f32[7, M] @ p : S(0) = 2.0 + 0.5 * reshape(iota(7 * M) % M, [7, M]) as f32 + 0.1 * numbers([7, M], 97);
state colour : f32[7, 3] @ p : S(0) = 0.5 + 0.5 * numbers([7, 3], 59);

fn waves(x) {
    var parts = [x];
    for i in 0..4 { parts = parts + [sin(2.0 ** i * x), cos(2.0 ** i * x)]; }
    return concat(parts);
}
fn seen(o, d, t) {
    let e = waves(unsqueeze(o, dim = 1) + unsqueeze(d, dim = 1) * unsqueeze(t, dim = 2));
    let y = concat([relu(nn.linear(e, net.w, net.b)), e]) @ net.v;
    let opaque = 1.0 - exp(-relu(y[.., .., 3]) * pad(diff(t), after = 1, value = 1.0e10));
    let light = cumprod(1.0 - opaque + 1.0e-10);
    let weight = opaque * pad(light[.., 0..-1], before = 1, value = 1.0);
    return (sum(sigmoid(y[.., .., 0..3]) * unsqueeze(weight, dim = 2), dim = 1), sum(weight * t, dim = 1), weight);
}
fn objective(o, d, t, c) {
    let (rgb, depth, weight) = seen(o, nn.normalize(d), t);
    return (loss.mse(rgb, c) to B, rgb, depth, weight);
}

main {
    let ((l, rgb, depth, weight), g) = value_and_grad(objective)(from, to_, at, colour);
    print(l, rgb to B, depth to B, weight to B);
    print(g.net.w[3], g.net.b, g.net.v[20], sum(abs(g.net.w)));
    print(grad(objective, wrt = "o")(from, to_, at, colour) to B);
}
