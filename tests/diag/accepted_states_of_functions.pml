import std.optim;
param w : f32[4] = ones();
state steps : i64 = full(0);
fn f() { return sum(w * w); }
fn average(x) { state m : f32 = zeros(); m = 0.9 * m + 0.1 * x; return m; }
fn decay(g) { each (p, d) in g { state s : like p = ones(); s = s * 0.5; p = p - s * d; } }
main {
    for i in 0..3 {
        let (l, g) = value_and_grad(f)();
        optim.sgd(g, lr = 0.1, momentum = 0.9);
        decay(g);
        steps = steps + 1;
        log(average = average(l), steps = steps);
    }
    save("w.safetensors");
    load("w.safetensors");
}
