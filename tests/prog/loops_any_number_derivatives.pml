// Loops of any number of turns inside of loops, differentiated two and three times: what they keep is computed again in every turn, by
// reverses of reverses, tangents of reverses and reverses of tangents. Derivatives in f64 are compared with differences.
//% ranks 1 2 (3)
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
config n : int = 3;
param u : f64[4] @ p = [1.0, 1.1, 0.9, 1.2] as f64;

fn grows(x: f64[4]) -> f64 @ p {
    var h = x to @p;
    for i in 0..3 {
        h = 0.5 * (h + tanh(h));
        while sum(h * h) < 1.0 + i { h = h + sin(h * u); }
    }
    return sum(h * h * u);
}

// A loop in a loop in a loop; the numbers of turns follow from each other.
fn nested(x: f64[4]) -> f64 @ p {
    var h = x to @p;
    var k = 0;
    while k < 2 {
        var m = 0;
        while sum(h) < 3.0 + 2.0 * k {
            h = h + 0.5 * u * cos(h);
            for j in 0..m + 1 { h = h + 0.01 * h * h; }
            m += 1;
        }
        h = remat { 0.7 * tanh(h) + 0.1 * h * u };
        k += 1;
    }
    return sum(h * h);
}

// Loops in a condition, of which one leaves a function in an arm where nothing is computed; five loops in each other, of which one turns as often
// as the number of another says, with a block that is computed again; what does not change in them.
fn any_above(h, limit) {
    var k = 0;
    while k < n {
        if h[k] > limit { return true; }
        k += 1;
    }
    return false;
}
fn five(x: f64[4]) -> f64 @ p {
    var h = x to @p;
    while sum(h * h) < 2.0 && !any_above(h, 1.0) { h = h * 1.3 + u * 0.1; }
    for a in 0..2 { for b in 0..n { for c in 0..2 { for d in 0..b { for e in 0..n {
        if e > c + d { break; }
        h = remat {
            var y = h;
            for k in 0..e {
                if k == 2 { break; }
                y = sin(y) + u * 0.2;
            }
            y
        };
    } } } } }
    return sum(h * u);
}
fn left_inside(x: f64[4]) -> f64 @ p {
    var h = x to @p;
    let v = x to @p;
    for a in 0..n { for b in 0..n {
        h = cos(u * v) * sum(v);
        for c in 0..n { if sum(v) + a > 2.4 { return sum(v * h); } }
    } }
    return sum(h);
}

// The inner loop never turns, whatever the program says.
fn no_turn(x: f64[4]) -> f64 @ p {
    var h = x to @p;
    for a in 1..2 { if n > 2 { for b in 1..a { h = sin(h * u); } } }
    return sum(h * h * h * u);
}
fn norm_no_turn(x: f64[4]) -> f64 @ p { let d = grad(no_turn, wrt = "x")(x); return sum(d * d); }

fn norm_five(x: f64[4]) -> f64 @ p { let g = grad(five)(x); return sum(g.u * g.u); }
fn norm_left(x: f64[4]) -> f64 @ p { let d = grad(left_inside, wrt = "x")(x); return sum(d * d); }
fn norm_grows(x: f64[4]) -> f64 @ p { let d = grad(grows, wrt = "x")(x); return sum(d * d); }
fn norm_nested(x: f64[4]) -> f64 @ p { let d = grad(nested, wrt = "x")(x); return sum(d * d); }
fn third(x: f64[4]) -> f64 @ p { let d = grad(norm_grows, wrt = "x")(x); return sum(d * d); }
fn along(x: f64[4]) -> f64 @ p { let (y, d) = jvp(grows)(x, [1.0, -0.5, 0.3, 0.2] as f64); return y * d; }

main {
    let x = [0.1, 0.2, 0.3, 0.9] as f64;
    print(grows(x), nested(x));
    check_gradient(norm_grows, x, rtol = 1e-5);
    check_gradient(norm_nested, x, rtol = 1e-5);
    check_gradient(third, x, rtol = 1e-4);
    check_gradient(along, x, rtol = 1e-5);
    let (n, g) = value_and_grad(norm_grows)(x);
    print(n, g.u);
    print(value_and_grad(norm_nested)(x));
    print(grad(third, wrt = "x")(x), grad(along)(x));
    check_gradient(five, x, rtol = 1e-5);
    check_gradient(norm_five, x, rtol = 1e-5);
    check_gradient(norm_left, x, rtol = 1e-5);
    print(grad(norm_no_turn)(x).u, hessian_vector(norm_no_turn, x, ones([4], f64)));
    print(value_and_grad(norm_five)(x), value_and_grad(norm_left)(x));
    print(hessian_vector(grows, x, ones([4], f64)), hessian_vector(nested, x, ones([4], f64)));
}
