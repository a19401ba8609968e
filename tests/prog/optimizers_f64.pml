// Optimizers of f64 params, to 2e-12: the first six digits behind the point of a value and the next six. Values: expected.py (torch and numpy).
//% ranks 1 2 (3 4)
//% rtol 2e-6
import std.optim;

const N : int = 1;
place p = ranks(0..N);

param w : f64[6] @ p : S(0) = zeros();
param b : f64 @ p = zeros();
param c : f32 @ p = zeros();
param w2 : f64[6] @ p : S(0) = iota(6) as f64 * 0.3 - 0.7 to @p;           // adam, adamw and lamb keep the same moments of a param
param b2 : f64 @ p = 0.4;
param w3 : f64[6] @ p : S(0) = iota(6) as f64 * 0.3 - 0.7 to @p;
param b3 : f64 @ p = 0.4;

fn of(w, b) {
    let x = w * (iota(6) as f64 * 0.25 - 0.6 to @p) + 0.1 * b;
    return sum(x * x * x + 2.0 * x * w) to B;
}

fn f() { return of(w, b); }
fn f2() { return of(w2, b2); }
fn f3() { return of(w3, b3); }
fn mixed() { return f() + (c * c) as f64 * 0.5; }

fn begin() {
    w = iota(6) as f64 * 0.3 - 0.7 to @p;
    b = full(0.4, [], f64) to @p;
}

fn show(name: string, x) {
    let high = floor(x * 1000000.0);
    print(name, high, ((x * 1000000.0 - high) * 1000000.0) as f32);
}

fn shown(name: string) {
    show(name, w to B);
    show(name, b);
    begin();
}

main {
    begin();
    for i in 0..5 { optim.sgd(grad(f)(), lr = 0.01, momentum = 0.9, weight_decay = 0.1, nesterov = true); }
    shown("sgd");
    for i in 0..5 { optim.adam(grad(f)(), lr = 0.01, weight_decay = 0.1); }
    shown("adam");
    for i in 0..5 { optim.adamw(grad(f2)(), lr = 0.01, weight_decay = 0.1); }
    show("adamw", w2 to B);
    show("adamw", b2);
    for i in 0..5 { optim.lion(grad(f)(), lr = 0.01, weight_decay = 0.1); }
    shown("lion");
    for i in 0..5 { optim.rmsprop(grad(f)(), lr = 0.01, momentum = 0.5, weight_decay = 0.1); }
    shown("rmsprop");
    for i in 0..5 { optim.adagrad(grad(f)(), lr = 0.01, weight_decay = 0.1); }
    shown("adagrad");
    for i in 0..5 { optim.adadelta(grad(f)()); }
    shown("adadelta");
    for i in 0..5 { optim.lamb(grad(f3)(), lr = 0.01, weight_decay = 0.1); }
    show("lamb", w3 to B);
    show("lamb", b3);
    for i in 0..5 {
        let g = optim.clip_norm(grad(f)(), 0.7);
        optim.sgd(optim.accumulate(g, i, n = 5), lr = 0.3);
        optim.ema(g, keep = 0.9);
    }
    show("norm", optim.norm(grad(f)()));
    show("mixed", optim.norm(grad(mixed)()));
    optim.ema(grad(f)(), swap = true);
    shown("means");
    for i in 0..5 { optim.sgd(optim.clip_value(grad(f)(), 0.31234567), lr = 0.1); }
    shown("clipped");
}
