// Layouts in loops whose turns only the running program knows: a sum that takes in parts in every turn, lines of a split tensor,
// a condition. Values and gradients on any number of ranks, with --reproducible to the last bit.
//% ranks 1 (2) 3 (4)
//% rtol 1e-4
//% bits loops_layouts
const N : int = 1;
place p = ranks(0..N);
param h : f32[7, 6] @ p : S(0) = normal(std = 1.0);
param w : f32[6, 6] @ p = normal(std = 0.4);
param xs : f32[5, 7, 6] @ p : S(1) = normal(std = 1.0);
config n : int = 4;

fn parts() {
    var s = 0.0;
    var a = h;
    for i in 0..n {
        a = tanh(a @ w);
        s = s + sum(a * a) * (i + 1.0);
    }
    return s to B;
}
fn lines() {
    var s = 0.0;
    var a = h;
    for i in 0..5 {
        a = tanh(a @ w + xs[i]);
        s = s + sum(a * a) * (i + 1.0);
    }
    return s to B;
}
fn decided() {
    var a = h;
    while (sum(a * a) to B) > 0.5 { a = a @ w * 0.5; }
    return sum(a) to B;
}
fn once(limit: f32) {
    var a = h * 2.0;
    if (sum(h * h) to B) > limit { a = a * h; }
    return sum(a) to B;
}

main {
    for f in [parts, lines, decided] {
        let (l, g) = value_and_grad(f)();
        print(l, g.w to B, g.h to B);
    }
    print(grad(lines)().xs to B);
    print(grad(once)(1.0).h to B, grad(once)(1000.0).h to B);
}
