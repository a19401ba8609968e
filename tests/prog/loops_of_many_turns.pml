// Loops of more turns than could be walked one by one, in functions that nobody differentiates: part of the graph where bodies compute, of the host where
// they show something or learn, and left where they say.
//% ranks 1 2
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
param w : f32[4] @ p = ones();
param v : f32[4] @ p = ones();
fn loss(x) { return sum(square(x * w)); }
fn shown(x) { var h = x; for i in 0..5000 { h = h * 0.999; if i % 1000 == 0 { print(i, sum(h)); } } return h; }
fn train(x) { for i in 0..5000 { let g = grad(loss)(x); w = w - 0.001 * g.w; every 2500 { print("loss", loss(x)); } } }
fn until(x) { var h = x; for i in 0..100000 { if sum(h) < 0.1 { break; } h = h * 0.999; } return h; }
fn number(n) { var s = 0; for i in 0..100000 { s = (s * 3 + i) % 1000; } return s + n; }
fn rows(x) { var y = zeros([5000]) as f32 to @p; var s = sum(x); for i in 0..5000 { s = s * 0.9995 + 0.001; y[i] = s; } return y; }
main {
    print(shown(w));
    train(v);
    print(w);
    print(until(v), number(3));
    print(sum(rows(v)), rows(v)[4999]);
}
