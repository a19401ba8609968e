// Loops that the running program leaves, in loops, in branches, by a function with a loop of its own; a while that would look outside of a
// tensor if it were asked once more. Differentiated; the values are those of central differences.
//% ranks 1 2 (3 4)
//% rtol 1e-4
const N : int = 1;
place p = ranks(0..N);
struct Pair[p: place] { a: f32[4] @ p = ones(), b: f32[4] @ p = ones() }
param net : Pair[p];
config n : int = 5;

fn step(h: f32[4] @ p, k: int) -> f32[4] @ p { var y = h; for j in 0..k { y = tanh(y * net.a); } return y; }
fn both(x: f32[4] @ p) -> f32 @ p {
    let s = net;
    var h = x;
    for i in 0..n {
        for j in 0..n {
            if i * j > 3 { break; }
            if sum(h) > 2.0 { h = step(h, i); } else { h = h + net.b * j; continue; }
            h = h * 1.5;
        }
        if i == 3 { break; }
    }
    return sum(h * s.a);
}
fn inner(x: f32[4] @ p) -> f32 @ p {
    var h = x;
    for i in 0..n { for j in 0..n { if i * j > 3 { break; } h = h * net.a * 0.9; } }
    return sum(h);
}
fn counts(x: f32[4] @ p, m: int) -> f32 @ p {
    var h = x;
    var i = 0;
    while i < m {
        i = i + 1;
        if i % 3 == 0 { continue; }
        h = h * 0.5 + net.a * i;
        if sum(h) > 60.0 { break; }
    }
    return sum(h) + i;
}
fn looks(x: f32[4] @ p) -> f32 @ p {
    var h = net.a;
    var k = 0;
    while sum(h) * x[k] > 0.0 { h = h * 2.0; k += 1; if k == 4 { break; } }
    return sum(h * h);
}

fn shown(f) { let (l, g) = value_and_grad(f)(ones([4]) to @p); print(l, g.net.a); }

main {
    shown(both);      // 3.20795, 2.85325
    shown(inner);     // 0.915072, 3.20275
    for m in 0..n { let (l, g) = value_and_grad(counts)(ones([4]) to @p, m * 3); print(l, g.net.a); }
    shown(looks);     // 1024, 512
    // 4, 0; 14, 2.5; 36.75, 7.625; 62.6875, 13.40625; 76.84375, 16.703125
}
