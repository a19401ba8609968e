// std.loss, std.metrics and std.nn: values and gradients. Values: expected.py (torch).
//% ranks 1 4 (2 3)
import std.loss;
import std.metrics;
import std.nn;

const N : int = 1;
place p = ranks(0..N);

fn entropy(x: f32[6, 3], t: i32[6]) -> f32 { return loss.cross_entropy(x, t) to B; }
fn square(x: f32[6, 3], y: f32[6, 3]) -> f32 { return loss.mse(x, y) to B; }
fn binary(x: f32[6, 3], y: f32[6, 3]) -> f32 { return loss.binary_cross_entropy(x, y) to B; }
fn layer(x: f32[6, 3], w: f32[3, 2], b: f32[2]) -> f32 { return sum(square_of(nn.linear(x, w, b))) to B; }
fn square_of(x) { return x * x; }

main {
    let x = reshape((iota(18) * 7 % 11) as f32 * 0.5, [6, 3]) - 2.0 to @p : S(0);
    let t = iota(6) * 2 % 3 to @p : S(0);
    let s = t as i32;
    print("cross entropy", entropy(x, s), grad(entropy)(x, s) to B);
    let y = reshape(iota(18) as f32 / 18.0, [6, 3]) to @p : S(0);
    print("mse", square(x, y), grad(square, wrt = "x")(x, y) to B);
    print("binary", binary(x, y), grad(binary, wrt = "x")(x, y) to B);
    print("metrics", metrics.correct(x, t) to B, metrics.accuracy(x, t) to B);
    let w = reshape(iota(6) as f32, [3, 2]) * 0.5 to @p;
    let (gx, gw, gb) = grad(layer)(x, w, iota(2) as f32 to @p);
    print("linear", gx to B, gw to B, gb to B);
    print("fans", nn.fan_in([3, 5]), nn.fan_out([3, 5]), nn.fan_in([8, 4, 3, 3]), nn.fan_out([8, 4, 3, 3]), nn.fan_in([7]));
}
