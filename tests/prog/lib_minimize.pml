//% test 2 (1 3 4)
// A convex problem, its rows and one of its params split over ranks, beside the numbers of another program (NumPy), and a valley that is not convex.
import std.linalg;
import std.loss;
import std.minimize;
place p = ranks(0..4);
const D : int = 5;
param w : f64[D] @ p : S(0) = zeros();
param b : f64 @ p : B = zeros();
param x : f64[6] @ p = [-1.2, 1.0, -1.0, 1.5, 0.5, -0.5];
param steep : f64[D] @ p = zeros();

fn rows() {
    let (i, j) = (iota(40) as f64, iota(D) as f64);
    let m[n, d] = sin(1.0 + 3.0 * i[n] + 7.0 * j[d] + i[n] * j[d]);
    return m to @p : S(0);
}
fn targets() { return (iota(40) * 7 % 5 < 2) as f64 to @p : S(0); }

fn logistic(data) {
    let (m, t) = data;
    let z = m @ (w to B) + b;
    return (mean(softplus(z) - t * z) to B) + 0.005 * (sum(w * w) to B);
}

fn valley() {
    let (a, c) = (x[0..5], x[1..6]);
    return sum(100.0 * (c - a * a) ** 2.0 + (1.0 - a) ** 2.0);
}

fn squares(data) {
    let (m, t) = data;
    let z = m @ steep - t;
    return mean(z * z) to B;
}

fn check_logistic(least) {
    assert_close(least, 0.6609065308284571, rtol = 1e-10);
    assert_close(w to B, [0.00950937, 0.42743616, -0.09360465, 0.0414539, -0.00636256] as f64, rtol = 1e-6, atol = 1e-8);
    assert_close(b, -0.42784632, rtol = 1e-6);
}

test "quasi-Newton steps" {
    let least = minimize.lbfgs(logistic, steps = 100, data = (rows(), targets()));
    check_logistic(least);
    assert(minimize.lbfgs(valley, steps = 300) < 1e-15);
    assert_close(x, ones([6], dtype = f64), rtol = 1e-6);
    minimize.lbfgs(squares, steps = 60, data = (rows(), targets()));
    assert_close(steep, linalg.least_squares(rows() to B, targets() to B), rtol = 1e-6);
}

test "Newton's steps" {
    let least = minimize.newton_cg(logistic, steps = 20, data = (rows(), targets()));
    check_logistic(least);
    x = full(0.5, [6], dtype = f64);
    assert(minimize.newton_cg(valley, steps = 100) < 1e-15);
    assert_close(x, ones([6], dtype = f64), rtol = 1e-6);
    minimize.newton_cg(squares, steps = 10, data = (rows(), targets()));
    assert_close(steep, linalg.least_squares(rows() to B, targets() to B), rtol = 1e-6);
}
