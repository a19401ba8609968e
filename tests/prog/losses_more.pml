// Masked and soft cross entropies, divergences, robust and margin losses, confusion and what follows from it. Values: expected.py (torch).
//% ranks 1 (2) 3
import std.loss;
import std.metrics;
const N : int = 1;
place p = ranks(0..N);

fn ignoring(x: f32[6, 3], t: i32[6]) -> f32 { return loss.cross_entropy(x, t, smoothing = 0.1, ignore = -100) to B; }
fn soft(x: f32[6, 3], y: f32[6, 3]) -> f32 { return loss.soft_cross_entropy(x, y) to B; }
fn divergence(x: f32[6, 3], y: f32[6, 3]) -> f32 { return loss.kl_divergence(x, y) to B; }
fn normal_divergence(x: f32[6, 3], y: f32[6, 3]) -> f32 { return loss.kl_normal(x, y) to B; }
fn absolute(x: f32[6, 3], y: f32[6, 3]) -> f32 { return loss.l1(x, y) to B; }
fn robust(x: f32[6, 3], y: f32[6, 3]) -> f32 { return loss.huber(x, y, delta = 0.5) to B; }
fn margin(x: f32[6, 3], y: f32[6, 3]) -> f32 { return loss.hinge(x, where(y > 0.2, 1.0, -1.0)) to B; }
fn triple(x: f32[6, 3], y: f32[6, 3]) -> f32 { return loss.triplet(x, y, x * y, margin = 2.0) to B; }

main {
    let x = reshape((iota(18) * 7 % 11) as f32 * 0.5, [6, 3]) - 2.0 to @p : S(0);
    let r = reshape((iota(18) * 5 % 7) as f32, [6, 3]) to @p : S(0);
    let y = div_along(r, sum(r, dim = 1));
    let t = where(iota(6) % 3 == 1, -100, iota(6) * 2 % 3) as i32 to @p : S(0);
    print(ignoring(x, t), grad(ignoring, wrt = "x")(x, t) to B, ignoring(x, t * 0 - 100));
    print(soft(x, y), grad(soft, wrt = "x")(x, y) to B);
    print(divergence(x, y), grad(divergence, wrt = "x")(x, y) to B);
    print(normal_divergence(x, y), grad(normal_divergence)(x, y)[1] to B);
    print(absolute(x, y), robust(x, y), grad(robust, wrt = "x")(x, y) to B);
    print(margin(x, y), triple(x, y), grad(triple, wrt = "x")(x, y) to B);
    print(loss.nll(log_softmax(x), max(t, 0)) to B);
    let c = metrics.confusion(x, max(t, 0)) to B;
    print(c, metrics.precision(c), metrics.recall(c), metrics.f1(c), metrics.r2(y, y * y + x * 0.1));
}
