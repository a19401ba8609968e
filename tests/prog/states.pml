// State: global, in functions, like params; assigned in loops and branches. Values by hand.
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);
param w : f32[4] @ p : S(0) = ones();
param v : f32[2] @ p = full(2.0);
state steps : i32 @ p = full(0, dtype = i32);
state mean_of : f32[4] @ p : S(0) = zeros();

fn objective(x: f32[4]) { return sum(w * x) + (sum(v) to P) to B; }
fn average(x: f32[4]) {
    mean_of = 0.5 * mean_of + 0.5 * x;
    steps = steps + 1;
    return mean_of;
}
fn counted(g: gradient) {
    each (q, d) in g {
        state seen : like q = zeros();
        seen = seen + d;
        q = q - 0.1 * seen;
    }
}
fn ticks() { state n : i32[1] @ p = zeros(dtype = i32); n = n + 1; return n; }

main {
    let x = iota(4) as f32 to @p : S(0);
    for i in 0..3 {
        print(average(x * i) to B, steps);
        if i == 1 { mean_of = zeros([4]); }
    }
    for i in 0..3 {
        counted(grad(objective)(x));
        print(w to B, v);
    }
    for i in 0..2 { print(ticks()); }
    w = x;
    v += 1.0;
    v *= 2.0;
    print(w to B, v, mean_of to B, steps);
}
