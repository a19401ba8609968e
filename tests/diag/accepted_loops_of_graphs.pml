place p = ranks(0..2);
param w : f32[4] @ p = ones();
param v : [3] f32[4] @ p = ones();
config n : int = 3;

fn counted(x: f32[4] @ p) -> f32 @ p { var h = x; for i in 0..n { h = tanh(h * w); } return sum(h); }
fn decided(x: f32[4] @ p) -> f32 @ p { var h = x * w; if sum(h) > 3.0 { h = h * 2.0; } return sum(h); }
fn while_small(x: f32[4] @ p) -> f32 @ p { var h = x * w; while sum(h) < 30.0 { h = h * 2.0; } return sum(h); }
fn left(x: f32[4] @ p) -> f32 @ p {
    var h = x;
    var turns = 0;
    for i in 0..n * 10 {
        if i % 2 == 1 { continue; }
        if sum(h) > 100.0 { break; }
        h = h * (1.0 + w) + i;
        turns += 1;
    }
    return sum(h) / turns;
}
fn layers(x: f32[4] @ p) -> f32 @ p { var h = x; for u in v { h = h * u; } return sum(h); }

main {
    let x = ones([4]) to @p;
    for f in [counted, decided, while_small, left, layers] { print(value_of(f, x)); }
}
fn value_of(f, x) { let (l, g) = value_and_grad(f)(x); return l; }
