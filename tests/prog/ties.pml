// Derivatives where functions have a corner, a jump of slope or no slope. Values: expected.py (torch; what differs from it stands there).
//% ranks 1 2 (3 4)
import std.nn;
import std.loss;

const N : int = 1;
place p = ranks(0..N);

fn clamped(x, low, high) { return finish(sum(clamp(x, low, high))); }
fn largest(x, y) { return finish(sum(maximum(x, y))); }
fn least(x, y) { return finish(sum(minimum(x, y))); }
fn powers(x, y) { return finish(sum(x ** y)); }
fn cosine(x, y) { return finish(sum(nn.cosine(x, y))); }
fn mod(x, y) { return finish(sum(x % y)); }

main {
    let z = zeros([4]) to @p : S(0);
    let x = [-1.0, 1.0, 0.5, 2.0] as f32 to @p : S(0);
    let (a, b, c) = grad(clamped, wrt = ("x", "low", "high"))(x, full(-1.0, []) to @p, full(1.0, []) to @p);
    print("clamp", a to B, b to B, c to B);
    print("relu", grad(of_relu)(z) to B, grad(of_leaky)(z) to B, grad(of_softplus)(z) to B);
    print("relu6", grad(of_relu6)([0.0, 6.0, 3.0, 7.0] as f32 to @p : S(0)) to B);
    print("hard_tanh", grad(of_hard_tanh)(x) to B);
    let h = [-3.0, 3.0, 1.0, -4.0] as f32 to @p : S(0);
    print("hard_sigmoid", grad(of_hard_sigmoid)(h) to B, grad(of_hard_swish)(h) to B);
    print("elu", grad(of_elu)(z) to B, grad(of_selu)(z) to B, grad(of_mish)(z) to B, grad(of_log_sigmoid)(z) to B);
    print("abs", grad(of_abs)(z) to B, grad(of_sign)(z) to B);
    let (d, e) = grad(largest, wrt = ("x", "y"))(z, z);
    let (f, g) = grad(least, wrt = ("x", "y"))(z, z);
    print("maximum", d to B, e to B, f to B, g to B);
    print("max", grad(of_max)(z) to B, grad(of_min)(z) to B, grad(of_max_along)(z to B), grad(of_pool)(z to B));
    print("norm", grad(of_norm)(z) to B, grad(of_norm)(x) to B, grad(of_norm_along)(z to B));
    print("std", grad(of_std)(z to B), grad(of_std)(x to B), grad(of_variance)(z to B));
    print("pow", grad(of_pow2)(z) to B, grad(of_pow1)(z) to B, grad(of_pow0)(z) to B, grad(of_pow05)(z) to B, grad(of_pow3)(z) to B);
    let (i, j) = grad(powers, wrt = ("x", "y"))([0.0, 0.0, 0.0, 0.0, 2.0, -1.0] as f32 to @p : S(0), [0.0, 1.0, 2.0, 0.5, 3.0, 2.0] as f32 to @p : S(0));
    print("powers", i to B, j to B);
    print("prod", grad(of_prod)(z) to B, grad(of_prod)([0.0, 2.0, 3.0, 1.0] as f32 to @p : S(0)) to B);
    print("sqrt", grad(of_sqrt)(z) to B, grad(of_sqrt_square)(z) to B);
    let (k, l) = grad(cosine, wrt = ("x", "y"))(z to B, x to B);
    print("cosine", k, l);
    let (m, n) = grad(mod, wrt = ("x", "y"))([4.0, 5.0, -5.0] as f32 to @p, [2.0, 3.0, 3.0] as f32 to @p);
    print("%", m, n);
    print("losses", grad(of_huber)(x) to B, grad(of_l1)(z) to B, grad(of_hinge)(x) to B);
    print("floor", grad(of_floor)(x) to B, grad(of_round)(x) to B, grad(of_sort)(z to B));
}

fn of_relu(x) { return finish(sum(relu(x))); }
fn of_leaky(x) { return finish(sum(leaky_relu(x, 0.2))); }
fn of_softplus(x) { return finish(sum(softplus(x))); }
fn of_relu6(x) { return finish(sum(nn.relu6(x))); }
fn of_hard_tanh(x) { return finish(sum(nn.hard_tanh(x))); }
fn of_hard_sigmoid(x) { return finish(sum(nn.hard_sigmoid(x))); }
fn of_hard_swish(x) { return finish(sum(nn.hard_swish(x))); }
fn of_elu(x) { return finish(sum(nn.elu(x, 1.5))); }
fn of_selu(x) { return finish(sum(nn.selu(x))); }
fn of_mish(x) { return finish(sum(nn.mish(x))); }
fn of_log_sigmoid(x) { return finish(sum(nn.log_sigmoid(x))); }
fn of_abs(x) { return finish(sum(abs(x))); }
fn of_sign(x) { return finish(sum(sign(x))); }
fn of_max(x) { return finish(max(x)); }
fn of_min(x) { return finish(min(x)); }
fn of_max_along(x) { return finish(sum(max(reshape(x, [2, 2]), dim = 1))); }
fn of_pool(x) { return finish(sum(max_pool2d(reshape(x, [1, 1, 2, 2])))); }
fn of_norm(x) { return finish(norm(x)); }
fn of_norm_along(x) { return finish(sum(norm(reshape(x, [2, 2]), dim = 1))); }
fn of_std(x) { return std(x); }
fn of_variance(x) { return variance(x); }
fn of_pow2(x) { return finish(sum(x ** 2.0)); }
fn of_pow1(x) { return finish(sum(x ** 1.0)); }
fn of_pow0(x) { return finish(sum(x ** 0.0)); }
fn of_pow05(x) { return finish(sum(x ** 0.5)); }
fn of_pow3(x) { return finish(sum(x ** 3)); }
fn of_prod(x) { return finish(prod(x)); }
fn of_sqrt(x) { return finish(sum(sqrt(x))); }
fn of_sqrt_square(x) { return finish(sum(sqrt(x * x))); }
fn of_huber(x) { return finish(loss.huber(x, 0.0 * x)); }
fn of_l1(x) { return finish(loss.l1(x, 0.0 * x)); }
fn of_hinge(x) { return finish(loss.hinge(x, 0.0 * x + 1.0)); }
fn of_floor(x) { return finish(sum(floor(x))); }
fn of_round(x) { return finish(sum(round(x))); }
fn of_sort(x) { let (v, i) = top_k(x, 2); return finish(sum(v)); }
