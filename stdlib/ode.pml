// ode.pml — ordinary differential equations dy/dt = f(t, y), y any tensor, from a time to another, also backwards. f takes a time, one number in
// the elements of y, and y, and may read params; what is returned is y at the end.
//
// Layouts are those of y. `rk4` and `rk45` are loops of which derivatives go through every step; what they keep grows with the number of steps.
// `adjoint` keeps nothing: it solves the equation once more, backwards.
//
// The examples stand in `main` of a program that begins with
//
//     import std.ode;
//
//     param rate : f32[1] = [-1.0];
//     fn decay(t, y) { return rate * y; }
//     fn wave(t, y) { return [1.0, -1.0] as f32 * flip(y); }

// What f gives has the type of y.
fn moved[d: float](y: d[..], k: d[..], h) { return y + (h as d) * k; }

// A step of length h of Runge and Kutta (Kutta, 1901).
fn rk4_step[d: float](f, t, y: d[..], h) {
    let a = f(t as d, y);
    let b = f((t + 0.5 * h) as d, moved(y, a, 0.5 * h));
    let c = f((t + 0.5 * h) as d, moved(y, b, 0.5 * h));
    let e = f((t + h) as d, moved(y, c, h));
    return moved(y, a + 2.0 * b + 2.0 * c + e, h / 6.0);
}

/// In `steps` equal steps of the fourth order (Kutta, 1901); steps may be a number of the running program.
///     print(ode.rk4(decay, [1.0] as f32, 0.0, 1.0, steps = 20));    // [0.367879]
fn rk4(f, y, from, until, steps: int) {
    let h = (until - from) / steps;
    var x = y;
    for i in 0..steps { x = rk4_step(f, time_at(from, h, i), x, h); }
    return x;
}
op time_at(from[]: f64, h[]: f64, i[]: int) -> [] = from + h * (i as f64);

op error_of(e[..], a[..], b[..], rtol[], atol[]) -> [..] = (e / (atol + rtol * max(abs(a), abs(b)))) as f64;
fn size_of(e, a, b, rtol, atol) {
    let x = error_of(e, a, b, rtol, atol);
    return sqrt(finish(mean(x * x)));
}

/// In steps as long as the tolerance lets them be, of the fifth order, each beside one of the fourth (Dormand, Prince, 1980): the error of a step is
/// at most atol + rtol |y|, in the root of the mean square over all elements. Not a number if `most` steps do not reach the end. Derivatives go
/// through the steps as they were taken, not through their lengths.
///     print(abs(ode.rk45(wave, [0.0, 1.0] as f32, 0.0, 1.5707963) - [1.0, 0.0]) < 1e-5);    // [true, true]
fn rk45[d: float](f, y: d[..], from, until, rtol = 1e-6, atol = 1e-9, most: int = 10000) {
    let span = 1.0 * (until - from);
    var (x, k1) = (y, f(time_at(from, span, 0) as d, y));
    let slope = stop_gradient(size_of(span * k1, x, x, rtol, atol));
    var h = min(0.01 * max(stop_gradient(size_of(x, x, x, rtol, atol)), 1e-3) / max(slope, 1e-3), 1.0);
    var at = 0.0 * h;                              // the share of the way that is done
    var count = 0;
    while at < 1.0 && count < most {
        let left = 1.0 - at;
        let step = min(h, left);
        let g = span * step;
        let t = from + span * at;
        let k2 = f((t + 0.2 * g) as d, moved(x, k1, 0.2 * g));
        let k3 = f((t + 0.3 * g) as d, moved(x, 3.0 / 40.0 * k1 + 9.0 / 40.0 * k2, g));
        let k4 = f((t + 0.8 * g) as d, moved(x, 44.0 / 45.0 * k1 - 56.0 / 15.0 * k2 + 32.0 / 9.0 * k3, g));
        let k5 = f((t + 8.0 / 9.0 * g) as d, moved(x, 19372.0 / 6561.0 * k1 - 25360.0 / 2187.0 * k2 + 64448.0 / 6561.0 * k3 - 212.0 / 729.0 * k4, g));
        let k6 = f((t + g) as d, moved(x, 9017.0 / 3168.0 * k1 - 355.0 / 33.0 * k2 + 46732.0 / 5247.0 * k3 + 49.0 / 176.0 * k4 - 5103.0 / 18656.0 * k5, g));
        let new = moved(x, 35.0 / 384.0 * k1 + 500.0 / 1113.0 * k3 + 125.0 / 192.0 * k4 - 2187.0 / 6784.0 * k5 + 11.0 / 84.0 * k6, g);
        let k7 = f((t + g) as d, new);
        let e = 71.0 / 57600.0 * k1 - 71.0 / 16695.0 * k3 + 71.0 / 1920.0 * k4 - 17253.0 / 339200.0 * k5 + 22.0 / 525.0 * k6 - 1.0 / 40.0 * k7;
        let error = stop_gradient(size_of((g as d) * e, x, new, rtol, atol));
        let good = error <= 1.0;
        x = where(good, new, x);
        k1 = where(good, k7, k1);
        at = where(good, if step >= left => 1.0 else at + step, at);
        h = step * min(max(0.9 * max(error, 1e-10) ** -0.2, 0.2), 5.0);
        count += 1;
    }
    return where(at >= 1.0, x, nan);
}

// ---- derivatives without memory of the steps
//
// What sum(ct * y(until)) of a solution has for derivatives (Pontryagin, 1962; Chen et al., 2018): the equation is solved once more, backwards from
// its end y = y(until), and with it that of the derivative by y, in `steps` steps of `rk4`. It is that of the exact solution, up to the errors of
// these steps, in the memory of one of them.

// Of which the derivatives are: what f gives, times what the end's derivative is at this time.
fn pulled(f, t, y, a) { return finish(sum(stop_gradient(a) * f(t, y))); }
fn back(f, t, y, a) { return (f(t, y), grad(pulled, wrt = "y")(f, t, y, a)); }

/// y(from), and the derivative by it: of f without params, or where those of its params are not wanted.
///     let y = ode.rk4(wave, [0.0, 1.0] as f32, 0.0, 1.5707963, steps = 20);
///     let (start, d) = ode.adjoint(wave, y, [1.0, 0.0] as f32, 0.0, 1.5707963, steps = 20);
///     print(abs(start - [0.0, 1.0]) < 1e-5, abs(d - [0.0, 1.0]) < 1e-5);    // [true, true] [true, true]
fn adjoint[d: float](f, y: d[..], ct: d[..], from, until, steps: int) {
    let h = (from - until) / steps;
    var (x, a) = (y, ct);
    for i in 0..steps {
        let t = time_at(until, h, i);
        let (f1, a1) = back(f, t as d, x, a);
        let (f2, a2) = back(f, (t + 0.5 * h) as d, moved(x, f1, 0.5 * h), moved(a, a1, -0.5 * h));
        let (f3, a3) = back(f, (t + 0.5 * h) as d, moved(x, f2, 0.5 * h), moved(a, a2, -0.5 * h));
        let (f4, a4) = back(f, (t + h) as d, moved(x, f3, h), moved(a, a3, -h));
        (x, a) = (moved(x, f1 + 2.0 * f2 + 2.0 * f3 + f4, h / 6.0), moved(a, a1 + 2.0 * a2 + 2.0 * a3 + a4, -h / 6.0));
    }
    return (x, a);
}

/// y(from), the derivative by it, and the gradient by the params that f reads.
///     let y = ode.rk4(decay, [1.0] as f32, 0.0, 1.0, steps = 20);
///     let (start, d, g) = ode.adjoint_params(decay, y, [1.0] as f32, 0.0, 1.0, steps = 20);
///     print(start, d, g.rate);    // [1] [0.367879] [0.367879]
fn adjoint_params[d: float](f, y: d[..], ct: d[..], from, until, steps: int) {
    let h = (from - until) / steps;
    var (x, a) = (y, ct);
    var g = 0.0 * grad(pulled)(f, until as d, y, ct);
    for i in 0..steps {
        let t = time_at(until, h, i);
        let (f1, a1) = back(f, t as d, x, a);
        let (x2, b2) = (moved(x, f1, 0.5 * h), moved(a, a1, -0.5 * h));
        let (f2, a2) = back(f, (t + 0.5 * h) as d, x2, b2);
        let (x3, b3) = (moved(x, f2, 0.5 * h), moved(a, a2, -0.5 * h));
        let (f3, a3) = back(f, (t + 0.5 * h) as d, x3, b3);
        let (x4, b4) = (moved(x, f3, h), moved(a, a3, -h));
        let (f4, a4) = back(f, (t + h) as d, x4, b4);
        let ends = grad(pulled)(f, t as d, x, a) + grad(pulled)(f, (t + h) as d, x4, b4);
        let middle = grad(pulled)(f, (t + 0.5 * h) as d, x2, b2) + grad(pulled)(f, (t + 0.5 * h) as d, x3, b3);
        g = g - (h / 6.0) * (ends + 2.0 * middle);
        (x, a) = (moved(x, f1 + 2.0 * f2 + 2.0 * f3 + f4, h / 6.0), moved(a, a1 + 2.0 * a2 + 2.0 * a3 + a4, -h / 6.0));
    }
    return (x, a, g);
}
