// Host variables, tensor variables and branches of the running program around gradients. Values checked by hand.
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);
config n : int = 4;
config flag : bool = true;
param w : f32[3] @ p : S(0) = ones();
state count : i32[1] @ p = zeros(dtype = i32);
fn loss(x) { return sum(w * w * x) to B; }
fn pick_first(a, b) { return if n > 3 => a else b; }
main {
    let x = iota(3) as f32 + 1.0 to @p : S(0);
    var best = 1000.0;
    var y = x;
    var name = "none";
    var key = rng(0);
    for i in 0..n {
        let (l, g) = value_and_grad(loss)(x);
        if l < best { best = l; name = "step " + i; y = g.w; }
        each (q, d) in g { q = q - 0.05 * d; }
        count = count + 1;
        key = fold(key, i);
        if flag && i == 2 { let z = uniform(key, [2]) to @p; print("draw", z); w = w * 0.5; }
        every 2 { print(i, l, name, y to B); }
    }
    print(best, name, y to B, w to B, count);
    var a = 0; var b = 1.5;
    while a < n { var c = a * 2; while c > 0 { c -= 1; b += 0.25; } a += 1; }
    print(a, b);
    let q = pick_first(x, y);
    print(q to B);
    let x2 = x; { let x2 = x * 2.0; print(x2 to B); } print(x2 to B);
    var (u, v) = (1, x);
    u += 1; v = v + u;
    print(u, v to B);
    for i in 0..2 { for j in 0..2 { let m = x * i + j; if i != j { print(i, j, m to B); } } }
    var t = sum(x) to B;
    for i in 0..3 { t = t * 2.0; }
    print(t);
    var s = 0.0;
    for i in 0..3 { s += sum(x) to B; s -= 1; }
    print(s);
    let r = for_each(x);
    print(r to B);
    var z = x as f64;
    for i in 0..2 { z = z / 3.0; }
    print(z to B, (z as f32) to B);
    if n > 2 { w = zeros([3]); } else { w = ones([3]); }
    print(w to B);
}
fn for_each(x) { var y = x; for i in 0..3 { if i == 1 { y = y + 10.0; } else { y = y * 2.0; } } return y; }
