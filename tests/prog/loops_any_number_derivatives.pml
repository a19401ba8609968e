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

// One loop leaves a function in an arm where nothing is computed.
fn left_inside(x: f64[4]) -> f64 @ p {
    var h = x to @p;
    let v = x to @p;
    for a in 0..n { for b in 0..n {
        h = cos(u * v) * sum(v);
        for c in 0..n { if sum(v) + a > 2.4 { return sum(v * h); } }
    } }
    return sum(h);
}

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
    check_gradient(norm_left, x, rtol = 1e-5);
    print(value_and_grad(norm_left)(x));
    print(hessian_vector(grows, x, ones([4], f64)), hessian_vector(nested, x, ones([4], f64)));
}
