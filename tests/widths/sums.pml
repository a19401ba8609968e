// Sums beside everything a kernel may hold: the same bits whether they share one or have one each. Sizes lie around multiples of what a
// vector, and the vectors of a turn, hold. What is saved is compared byte for byte.
config out : path = "sums.safetensors";
place p = ranks(0..1);

struct Kept[n, m] {
    x : f32[n, m] @ p = normal(std = 1.0),
    b : f32[m] @ p = normal(std = 1.0),
    c : f32[n] @ p = normal(std = 1.0),
    whole : f32[12] @ p = zeros(),
    row : f32[n, 8] @ p = zeros(),
    column : f32[m, 6] @ p = zeros(),
    point : f32[n, m, 4] @ p = zeros(),
    wide : f64[n, 4] @ p = zeros(),
    narrow : bf16[n, m, 2] @ p = zeros(),
    row_narrow : f16[n, 3] @ p = zeros()
}
param a : Kept[2, 257];
param b : Kept[7, 16];
param c : Kept[64, 63];
param e : Kept[17, 65];
param f : Kept[33, 130];
param h : Kept[3, 1000];

fn heavy(x) { return tanh(x) * erf(x) + exp(-x * x); }

/// Loss of a small network with what its gradient reads again.
fn loss_of[n, m](x: f32[n, m] @ p, b: f32[m] @ p, c: f32[n] @ p) -> f32 @ p {
    let y = layernorm(x * b, b, b);
    let z = softmax(y + b, dim = 1);
    let s[i] = sum[j] z[i, j] * x[i, j];
    return mean(square(s - c)) + sum(heavy(x) * b) / (n * m) as f32;
}

fn fill(k) {
    let x = k.x;
    let y = tanh(x + k.b);
    let dots[i] = sum[j] x[i, j] * y[i, j];
    let scaled[i] = sum[j] x[i, j] * k.b[j];
    let down[j] = sum[i] x[i, j] * y[i, j];
    let least = min(y, dim = 1);
    let soft = softmax(y * 3.0, dim = 1);
    let hx = heavy(x);
    let far[i] = sum[j] hx[i, j] * y[i, j];
    let (l, (gx, gb, gc)) = vjp(loss_of)(x, k.b, k.c, 1.0 to @p);
    let wide[i] = sum[j] (x[i, j] as f64) * (y[i, j] as f64);
    k.whole = stack([sum(x), sum(y), sum(x * y), mean(y), sum(heavy(x)), norm(y), l, sum(dots), sum(exp(-square(dots))), prod(1.0 + 0.01 * y),
                     sum(abs(x) * k.b), sum(down)]);
    k.row = stack([dots, scaled, sum(x, dim = 1), sum(heavy(y), dim = 1), far, least, gc, max(soft, dim = 1)]);
    k.column = stack([sum(x, dim = 0), sum(y * x, dim = 0), down, mean(soft, dim = 0), gb, sum(heavy(x), dim = 0)]);
    k.point = stack([y, soft, gx, x / norm(x)]);
    let v = x as bf16;
    k.narrow = stack([heavy(v), 0.3 * v - v * mean(v, dim = 0) / (1.0 + v * v)]);
    let u = y as f16;
    k.row_narrow = stack([sum(u, dim = 1), mean(heavy(u), dim = 1), sum(u * u, dim = 1)]);
    k.wide = stack([wide, sum(x as f64, dim = 1), sum((y as f64) * exp(x as f64), dim = 1), far as f64]);
}

main {
    fill(a); fill(b); fill(c); fill(e); fill(f); fill(h);
    print(a.whole, b.whole, c.whole);
    save(out);
}
