// Loops of any number of turns inside of loops, differentiated twice, in what few programs have together. Derivatives in f64 are compared
// with differences.
//% long
//% ranks 1 2 3
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
config n : int = 3;
param u : f64[4] @ p = [1.0, 1.1, 0.9, 1.2] as f64;

// A loop in a condition; five loops in each other, of which one turns as often
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
// The inner loop never turns, whatever the program says.
fn no_turn(x: f64[4]) -> f64 @ p {
    var h = x to @p;
    for a in 1..2 { if n > 2 { for b in 1..a { h = sin(h * u); } } }
    return sum(h * h * h * u);
}
fn norm_no_turn(x: f64[4]) -> f64 @ p { let d = grad(no_turn, wrt = "x")(x); return sum(d * d); }

fn norm_five(x: f64[4]) -> f64 @ p { let g = grad(five)(x); return sum(g.u * g.u); }

main {
    let x = [0.1, 0.2, 0.3, 0.9] as f64;
    check_gradient(norm_five, x, rtol = 1e-5);
    print(norm_five(x));
    print(grad(norm_no_turn)(x).u, hessian_vector(norm_no_turn, x, ones([4], f64)));
}
