// Bodies in bodies in bodies: loops of the running program fourteen deep, and a chain of `else if` under first and second derivatives, each a
// branch within the one before. What compiling takes does not double with each.
//% ranks 1 (2)
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
config n : int = 2;
config first : int = 0;
param w : f64[3] @ p = [0.9, 1.1, 1.05] as f64;

fn loops(x: f64[3]) -> f64 @ p {
    var h = x to @p;
    for a in 0..n { for b in 0..1 { for c in 0..n { for d in 0..1 { for e in first..n { for f in first..1 { for g in 0..n {
        for i in first..1 { for j in 0..n { for k in first..1 { for l in 0..n { for m in first..1 { for o in 0..n { for q in first..n {
            h = tanh(h * w) + 0.1;
        } } } } } } }
    } } } } } } }
    return sum(h);
}

fn arm(h: f64[3], k: int) {
    if k == 0 { return h * 0.5; }
    else if k == 1 { return sin(h * w) + h; }
    else if k == 2 { return cos(h * w) + h; }
    else if k == 3 { return tanh(h * w) + h; }
    else if k == 4 { return h * w; }
    else if k == 5 { return h * h * 0.3; }
    else if k == 6 { return exp(-h * w) + h; }
    else if k == 7 { return sqrt(h * h + w); }
    else if k == 8 { return h / (1.0 + h * h * w); }
    else if k == 9 { return sin(h) * w; }
    else if k == 10 { return h * 1.25 - w; }
    else if k == 11 { return sum(h) * w; }
    else if k == 12 { return h + w * h[0]; }
    else if k == 13 { return log(1.0 + h * h) + h; }
    else if k == 14 { return h * sum(w * h) * 0.1; }
    return h;
}

fn alone(x: f64[3], k: int) -> f64 @ p { let h = arm(x to @p, k); return sum(h * h); }
fn in_turns(x: f64[3]) -> f64 @ p {
    var h = x to @p;
    for k in 0..8 * n { h = arm(h, k); }
    return sum(h * h);
}
fn slope(x: f64[3]) -> f64 @ p { let d = grad(in_turns, wrt = "x")(x); return sum(d * d); }

main {
    let x = [1.0, 0.5, 1.5] as f64;
    print(loops(x));
    for k in 0..8 * n { print(k, value_and_grad(alone, wrt = "x")(x, k)); }
    check_gradient(in_turns, x, rtol = 1e-6);
    check_gradient(slope, x, rtol = 1e-5);
    let (l, g) = value_and_grad(in_turns)(x);
    print(l, g.w, grad(slope, wrt = "x")(x));
}
