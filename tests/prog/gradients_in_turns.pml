// Gradients within loops and branches that are differentiated themselves or show them: the inner function's own branch or none, behind a break,
// in every turn; what the outer one is made of stays as it was.
//% ranks 1 2 (3 4)
//% also --loops=unrolled
const N : int = 1;
config n : int = 1;
place p = ranks(0..N);
param w : f64[4] @ p = [1.0, 1.1, 0.9, 1.2] as f64;

fn branched(x: f64[4]) { var y = x * x; if n > 0 { y = y * w; } return sum(y); }
fn straight(x: f64[4]) { let h = x * w; return sum(h * h); }

fn left(x: f64[4]) {
    var y = x * 1.0;
    for i in 0..3 {
        if sum(y) > 4.0 { break; }
        y = y + 0.1 * grad(branched, wrt = 0)(x + y);
        print("turn", i, grad(straight, wrt = 0)(y));
    }
    return sum(y * y);
}
fn shown(x: f64[4]) {
    for k in 0..3 { let (y, d) = value_and_grad(straight)(x * (1.0 + k)); print(k, y, d.w); }
    return sum(x * w);
}
fn swept(x: f64[4]) {
    var y = x * 1.0;
    while sum(y) < 3.0 { if n > 0 { y = y + 0.2 * jvp(straight)(y, x)[1] + 0.1; } }
    return sum(y);
}

main {
    let x = [0.1, 0.2, 0.3, 0.4] as f64 to @p;
    print(value_and_grad(left, wrt = 0)(x));
    let (l, g) = value_and_grad(shown)(x);
    print(l, g.w);
    print(value_and_grad(swept, wrt = 0)(x));
    check_gradient(left, x, directions = 1);
    check_gradient(swept, x);
}
