// Options of optimizers beyond those of optimizers_of_adam.pml, Rprop, ASGD, means of all steps, and learning rates that go in cycles or fall where
// a loss stays; rates are tensors of another type, on another placement. To 2e-12, as there. Values: expected.py (torch.optim).
//% ranks 1 2 (3 4)
//% rtol 2e-6
import std.optim;

const N : int = 1;
place p = ranks(0..N);
place first = ranks(0..1);

param w : f64[6] @ p : S(0) = zeros();
param b : f64 @ p = zeros();
state falls : optim.Plateau[first];
state rests : optim.Plateau[p];
state tenth : f32 @ first = 0.125;

fn f() {
    let x = w * (iota(6) as f64 * 0.25 - 0.6 to @p) + 0.1 * b;
    return sum(x * x * x + 2.0 * x * w) to B;
}

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
    let rate = (tenth as f64) * 0.08;                     // 0.01
    for i in 0..9 { optim.rmsprop(grad(f)(), lr = rate, momentum = 0.5, weight_decay = 0.1, centered = true, eps = 1e-3); }
    shown("rmsprop");
    for i in 0..9 { optim.adagrad(grad(f)(), lr = 10.0 * rate, weight_decay = 0.1, lr_decay = 0.1, initial = 0.3); }
    shown("adagrad");
    for i in 0..9 { optim.adadelta(grad(f)(), weight_decay = 0.1); }
    shown("adadelta");
    for i in 0..9 { optim.nadam(grad(f)(), lr = rate, weight_decay = 0.1, growth = 0.1, decoupled = true); }
    shown("nadam");
    for i in 0..9 { optim.radam(grad(f)(), lr = 0.01, weight_decay = 0.1, decoupled = true); }
    shown("radam");
    for i in 0..9 { optim.rprop(grad(f)(), lr = 29.01234567 * rate, shrink = 0.3, grow = 1.5, least = 0.01, most = 0.4123456789); }
    shown("rprop");
    for i in 0..9 { optim.asgd(grad(f)(), lr = 10.0 * rate, decay = 0.2, power = 0.6, weight_decay = 0.1); }
    shown("asgd");
    for n in 0..6 {
        let g = grad(f)();
        optim.sgd(g, lr = 10.0 * rate);
        optim.ema(g, keep = n / (n + 1.0));
        if n == 5 { optim.ema(g, swap = true); }
    }
    shown("mean");

    let seen = [5.0, 4.0, 4.0, 4.0, 3.9999, 4.0, 4.0, 4.0, 4.0, 4.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0];
    var rates = zeros([6, 20], dtype = f64);
    var (fallen, rested) = (1.0, 1.0);
    for i in 0..20 {
        rates[0, i] = optim.cosine_cycles(0.4, i, 3, least = 0.01, times = 2);
        rates[1, i] = optim.triangles(0.4, i, 3, down = 4, least = 0.1);
        rates[2, i] = optim.triangles(0.4, i, 4, least = 0.1, shrink = 0.5);
        rates[3, i] = optim.triangles(0.4, i, 4, least = 0.1, gamma = 0.9);
        rates[4, i] = 0.4 * fallen;
        rates[5, i] = 0.4 * rested;
        fallen = optim.plateau(falls, seen[i], patience = 2, factor = 0.5);
        rested = optim.plateau(rests, (seen[i] as f32) to @first, patience = 1, cooldown = 2, factor = 0.5, least = 0.1);
    }
    print("cycles", rates[0]);
    print("triangles", rates[1]);
    print("halves", rates[2]);
    print("powers", rates[3]);
    print("plateau", rates[4]);
    print("cooldown", rates[5]);
}
