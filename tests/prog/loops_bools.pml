// Comparisons in a loop of known turns, within one whose turns the program counts: gradients look at what was decided in each. Beside the
// same written out.
//% ranks 1 2 (3 4)
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
param w : f64[4] @ p = [0.1, 0.9, 0.3, 0.4];
config n : int = 2;

fn step(y, at) {
    let larger = y > at;
    var z = where(larger, y * w, y * y + 0.1);
    if any(larger) { z = z * 1.5; }
    return z;
}
fn looped(x: f64[4] @ p) {
    var y = x;
    for i in 0..n { for j in 0..3 { y = step(y, w[j]); } }
    return sum(y);
}
fn by_hand(x: f64[4] @ p) {
    return sum(step(step(step(step(step(step(x, w[0]), w[1]), w[2]), w[0]), w[1]), w[2]));
}

main {
    let x = [1.0, 2.0, 0.3, 0.1] as f64 to @p;
    for f in [looped, by_hand] {
        let (l, g) = value_and_grad(f)(x);
        print(l, g.w, grad(f, wrt = "x")(x));
    }
}
