// Products of matrices that read parts, over the same axis and another; sums over eight operands: also with --reproducible.
//% fold 1 (2) 4
//% bits parts
place g = ranks(0..4) as (a = 2, b = 2);
param v : f32[6, 3] @ g = normal(std = 1.0);
param u : f32[6, 3] @ g : (b=S(0)) = normal(std = 1.0);
param w : f32[4, 6] @ g : (a=S(0)) = normal(std = 1.0);
fn loss(x: f32[5, 4] @ g : (a=S(1))) -> f32 @ g : B {
    let y = x @ w;
    let z = y @ v;
    return sum(z * (iota(3) as f32)) to B;
}
op many(a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]) -> [] = sum[i] a * b * c * d * e * f * g * h;
main {
    let s = iota(5) as f32 / 3.0 to @g : (b=S(0));
    print(many(s, s + 1.0, s + 2.0, s + 3.0, s + 4.0, s + 5.0, s + 6.0, s + 7.0) to B);
    let x = uniform(rng(1), [5, 4]) to @g : (a=S(1));
    let y = x @ w;                       // P over a
    print((y @ v) to B);
    print((y @ v) to (a=S(0)) to B);
    print((y @ v) to (a=S(1), b=S(0)) to B);
    let q = (y to (b=B)) @ u;           // P over a and over b
    print(q to B);
    print(q to (a=S(0)) to B);
    print(sum(q) to B, sum(y @ v, dim = 0) to (a=S(0)) to B);
    let z = (y @ v) @ transpose(v);
    print(z to B, mean(z) to B);
    let (l, d) = value_and_grad(loss)(x);
    print(l, d.w to B, d.v);
    let k[i, j] = sum[m] y[i, m] * v[m, j] * (w to B)[0, m];
    print(k to B);
    var t = y;
    for i in 0..3 { t = t + y @ v @ transpose(v) * 0.01; }
    print(t to B);
}
