//% test 1 (2) 4
// Gradients do not depend on layouts, and agree with differences.
import std.loss;
import std.nn;
import std.optim;
place all = ranks(0..4);

param w : f32[6, 8] @ all : B    = nn.he();
param v : f32[8, 4] @ all : S(1) = nn.xavier();
param b : f32[8]    @ all        = uniform(low = -0.1, high = 0.1);

fn net(x) { return tanh(x @ w + b) @ (v to B); }
fn objective(x, t) { return loss.cross_entropy(net(x), t) to B; }
fn cube(x) { return sum(x * x * x) to B; }
fn poly(x) { return sum(x ** 4) to B; }
fn slope(x) { return sum(grad(poly)(x)) to B; }

test "split and whole batches" {
    let x = uniform(rng(1), [12, 6]);
    let t = floor(uniform(rng(2), [12], high = 4.0)) as i32;
    let (l, g) = value_and_grad(objective)(x to @all : B, t to @all : B);
    let (k, h) = value_and_grad(objective)(x to @all : S(0), t to @all : S(0));
    assert_close(k, l, rtol = 1e-5);
    assert_close(h.w, g.w, rtol = 1e-3, atol = 1e-6);
    assert_close(h.b, g.b, rtol = 1e-3, atol = 1e-6);
    assert_close(h.v to B, g.v to B, rtol = 1e-3, atol = 1e-6);
}

test "of the second order, and along directions" {
    let x = uniform(rng(1), [7]) to @all : B;
    let s = x to S(0);
    assert_close(grad(cube)(x), 3.0 * x * x);
    assert_close(grad(cube)(s) to B, 3.0 * x * x);
    assert_close(grad(slope)(s) to B, 12.0 * x * x, rtol = 1e-4);
    let (y, dy) = jvp(cube)(x, ones([7]) to @all : B);
    assert_close(dy, sum(3.0 * x * x), rtol = 1e-4);
    let (z, dx) = vjp(cube)(x, full(2.0, []) to @all : B);
    assert_close(dx, 6.0 * x * x, rtol = 1e-4);
}

test "a step of gradient descent" {
    let x = uniform(rng(1), [12, 6]) to @all : S(0);
    let t = floor(uniform(rng(2), [12], high = 4.0)) as i32 to @all : S(0);
    let before = w;
    let (l, g) = value_and_grad(objective)(x, t);
    optim.sgd(g, lr = 0.5, momentum = 0.9);
    assert_close(w, before - 0.5 * g.w, rtol = 1e-4, atol = 1e-6);
    let (k, h) = value_and_grad(objective)(x, t);
    assert(k < l);
}

test "by some of the params" {
    let x = uniform(rng(1), [12, 6]) to @all : S(0);
    let t = floor(uniform(rng(2), [12], high = 4.0)) as i32 to @all : S(0);
    let (l, g) = value_and_grad(objective)(x, t);
    let (k, h) = value_and_grad(objective, wrt = (v, b))(x, t);
    assert_close(k, l);
    assert_close(h.v to B, g.v to B);
    assert_close(h.b, g.b);
    let before = w;
    optim.sgd(grad(objective, wrt = b)(x, t), lr = 0.5);
    assert_close(w, before, rtol = 0.0, atol = 0.0);
    each (p, d) in h { assert(sum(abs(p to B)) > 0.0); }
}
