//% ranks 1 2 3
// Second derivatives through branches that follow each other, against differences. In the derivative sums of a value handed on as it was and of
// another one stand beside sums of the other one and it: what is read comes in another order.
const N : int = 1;
place p = ranks(0..N);
config n : int = 3;
param w : f64[3] @ p = [0.5, 0.25, 0.7] as f64;

fn both(x: f64[3] @ p) -> f64 @ p {
    var h = x;
    var u = x * 2.0;
    var s = 0.1;
    if n > 3 { s = sum(h * u); u = x; } else { h = h - sin(x) * u; }
    if n > 3 { s = sum(h * u); u = x; } else { h = h - sin(x) * u; }
    return s + sum(h * h);
}
fn one(x: f64[3] @ p) -> f64 @ p {
    var h = x;
    var s = 0.1;
    if n > 3 { s = sum(h * w); } else { h = h - sin(x) * w; }
    if n > 3 { s = sum(h * w); } else { h = h - sin(x) * w; }
    return s + sum(h * h);
}
fn turns(x: f64[3] @ p) -> f64 @ p {
    var h = x;
    var u = w * 1.0;
    var s = 0.1;
    var k = 0;
    while k < 2 && sum(w) > 0.77 {
        k += 1;
        if n > 3 {
            s = s * 0.8 + sum(w * h * sum(sin(u))) * 0.1;
            u = 0.8 * x;
        } else {
            h = h - sin(x) * w * sum(u) * 0.3;
        }
        s = s * 0.8 + sum(sin(h)) * 0.1;
    }
    return sum(h * u) + s + 0.1 * sum(w * h);
}
// A third derivative adds up what lines of a tape get that was made again in a branch, each time with other turns.
fn steps(x: f64[3] @ p) -> f64 @ p {
    var h = x;
    if n > 2 {
        for i in 0..n - 1 {
            var k = 0;
            while k < n { h = h - 0.3 * sin(h) * x * w; k += 1; }
        }
    }
    return sum(h * h);
}
fn slope(f, x: f64[3] @ p) -> f64 @ p {
    let g = grad(f, wrt = "x")(x);
    return sum(g * g * x);
}
fn slope_both(x: f64[3] @ p) -> f64 @ p { return slope(both, x); }
fn slope_one(x: f64[3] @ p) -> f64 @ p { return slope(one, x); }
fn slope_turns(x: f64[3] @ p) -> f64 @ p { return slope(turns, x); }
fn slope_steps(x: f64[3] @ p) -> f64 @ p { return slope(steps, x); }
fn slopes_of_steps(x: f64[3] @ p) -> f64 @ p { return slope(slope_steps, x); }

fn check(f, x, d) {
    let e = 1e-5;
    let wanted = (f(x + e * d) - f(x - e * d)) / (2.0 * e);
    assert(abs(sum(grad(f, wrt = "x")(x) * d) - wanted) < 1e-6 * (1.0 + abs(wanted)));
}
main {
    let x = [0.3, -0.4, 0.8] as f64 to @p;
    let d = [0.2, 0.5, -0.7] as f64 to @p;
    check(slope_both, x, d);
    check(slope_one, x, d);
    check(slope_turns, x, d);
    check(slopes_of_steps, x, d);
    print(both(x), one(x), turns(x));
}
