//% test 2 (1 3 4)
//% only solutions
//% only derivatives of the params
// Differential equations beside exact solutions and numbers of another program (NumPy, forty thousand steps); their derivatives through the steps,
// and by the equation solved backwards.
import std.ode;
place p = ranks(0..4);
config steps : int = 400;
param w : f64[4] @ p = [1.5, 1.0, 3.0, 1.0];

// Hunters and their prey (Lotka, Volterra), in lines [.., 2]; a forced oscillation (van der Pol).
fn hunt(t, y) {
    let (a, b) = (y[.., 0], y[.., 1]);
    return stack([w[0] * a - w[1] * a * b, -w[2] * b + w[3] * a * b]);
}
fn forced(t, y) { return stack([y[1], 3.0 * (1.0 - y[0] * y[0]) * y[1] - y[0] + cos(t)], dim = 0); }
fn turns(t, y) { return flip(y) * [1.0, -1.0]; }
fn start() { return reshape([1.0, 0.5, 1.0, 0.5, 2.0, 1.0, 0.7, 0.2, 1.0, 0.5, 3.0, 1.0] as f64, [6, 2]) to @p : S(0); }

fn all_of(y) { return sum(sin(y)) to B; }
fn exact(y) { return ode.rk45(hunt, y, 0.0, 5.0, rtol = 1e-10, atol = 1e-12); }
fn by_steps(y) { return all_of(ode.rk4(hunt, y, 0.0, 5.0, steps = steps)); }
fn by_tolerance(y) { return all_of(exact(y)); }
fn adjoint_of(y) {
    let end = exact(y);
    return ode.adjoint_params(hunt, end, cos(end), 0.0, 5.0, steps = steps);
}
fn few(y) { return ode.rk4(hunt, y, 0.0, 1.0, steps = 5); }
fn coarse(y) { return ode.rk45(hunt, y, 0.0, 1.0, rtol = 1e-3); }
fn few_of_first(y) { return grad(sum_of_few, wrt = "y")(y); }
fn sum_of_few(y) { return all_of(ode.rk4(hunt, y, 0.0, 1.0, steps = 3)); }


fn first_of_one(y) { return exact(y)[0, 0]; }

test "solutions" {
    for i in 0..2 { assert_close(exact(start())[4 * i] to B, [6.75742949, 0.51300009] as f64, rtol = 1e-7); }
    assert_close(ode.rk4(hunt, start(), 0.0, 5.0, steps = steps)[1] to B, [6.75742949, 0.51300009] as f64, rtol = 1e-5);
    assert_close(ode.rk45(hunt, exact(start()), 5.0, 0.0, rtol = 1e-10) to B, start() to B, rtol = 1e-7);
    let end = ode.rk45(forced, [2.0, 0.0] as f64 to @p, 0.5, 8.0, rtol = 1e-9);
    assert_close(end, [1.84208832, 2.55990788] as f64, rtol = 1e-6);
    assert_close(ode.rk45(turns, [0.0, 1.0] as f64, 1.0, 3.0), [sin(2.0), cos(2.0)], rtol = 1e-5);
    assert_close(ode.rk45(turns, [0.0, 1.0] as f32, 1.0, 3.0, rtol = 1e-4), [sin(2.0), cos(2.0)], rtol = 1e-3);
    assert(!any(is_finite(ode.rk45(turns, [0.0, 1.0] as f64, 0.0, 3.0, most = 3))));
    assert_equal(ode.rk45(turns, [0.0, 1.0] as f64, 2.0, 2.0), [0.0, 1.0] as f64);
}

test "derivatives through the steps" {
    check_gradient(few, start());
    check_gradient(coarse, start(), rtol = 1e-3);
    check_gradient(few_of_first, start(), directions = 1);
    let (end, d) = vjp(exact)(start(), reshape([1.0, 0.0] as f64, [1, 2]) + zeros([6, 2], dtype = f64) to @p : S(0));
    assert_close(d[0] to B, [6.38657296, -0.28300938] as f64, rtol = 1e-5);
}

test "derivatives of the params, through the steps and backwards" {
    let one = start()[0..1, ..] to B;
    let g = grad(first_of_one)(one);
    assert_close(g.w, [14.61979884, -0.14150468, 3.97685816, -0.37085654] as f64, rtol = 1e-5);
    let exact_ones = grad(by_tolerance)(start());
    assert_close(grad(by_steps)(start()).w, exact_ones.w, rtol = 1e-5, atol = 1e-5);
    let (begin, d, h) = adjoint_of(start());
    assert_close(begin to B, start() to B, rtol = 1e-4, atol = 1e-4);
    assert_close(h.w, exact_ones.w, rtol = 1e-3, atol = 1e-3);
    assert_close(d to B, grad(by_tolerance, wrt = "y")(start()) to B, rtol = 1e-3, atol = 1e-3);
    let (back, e) = ode.adjoint(hunt, exact(start()), cos(exact(start())), 0.0, 5.0, steps = steps);
    assert_close(e to B, d to B, rtol = 1e-10);
}
