// Dampening, amsgrad, Adamax, NAdam and RAdam of f64 params, to 2e-12: the first six digits behind the point of a value and the next six. Values:
// expected.py (torch.optim).
//% ranks 1 2 (3 4)
//% rtol 2e-6
import std.optim;

const N : int = 1;
place p = ranks(0..N);

param w : f64[6] @ p : S(0) = zeros();
param b : f64 @ p = zeros();
param v : f64[6] @ p : S(0) = iota(6) as f64 * 0.3 - 0.7 to @p;           // adam and adamw keep the same moments of a param
param c : f64 @ p = 0.4;

fn of(w, b) {
    let x = w * (iota(6) as f64 * 0.25 - 0.6 to @p) + 0.1 * b;
    return sum(x * x * x + 2.0 * x * w) to B;
}

fn f() { return of(w, b); }
fn g() { return of(v, c); }

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
    for i in 0..9 { optim.sgd(grad(f)(), lr = 0.01, momentum = 0.9, weight_decay = 0.1, dampening = 0.3); }
    shown("sgd");
    for i in 0..9 { optim.adam(grad(f)(), lr = 0.3, weight_decay = 0.1, beta2 = 0.9, amsgrad = true); }
    shown("adam");
    for i in 0..9 { optim.adamw(grad(g)(), lr = 0.3, weight_decay = 0.1, beta2 = 0.9, amsgrad = true); }
    show("adamw", v to B);
    show("adamw", c);
    for i in 0..9 { optim.adamax(grad(f)(), lr = 0.01, weight_decay = 0.1); }
    shown("adamax");
    for i in 0..9 { optim.nadam(grad(f)(), lr = 0.01, weight_decay = 0.1, growth = 0.1); }
    shown("nadam");
    for i in 0..9 { optim.radam(grad(f)(), lr = 0.01, weight_decay = 0.1); }
    shown("radam");
}
