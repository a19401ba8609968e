// Attention of many small heads, whose products and softmax are made strip by strip: the same bits as step by step (--no-fusion). Heads one
// behind the other and side by side, a bias that all heads of a batch share, one row of heads that no strip divides; values and gradients.
config out : path = "strips.safetensors";
place p = ranks(0..1);

param q : f32[8, 4, 128, 32] @ p = normal(std = 1.0);
param k : f32[8, 4, 128, 32] @ p = normal(std = 1.0);
param v : f32[8, 4, 128, 32] @ p = normal(std = 1.0);
param x : f32[6, 128, 3, 4, 16] @ p = normal(std = 1.0);
param w : f32[4, 16, 24] @ p = normal(std = 1.0);
param b : f32[4, 128, 128] @ p = normal(std = 1.0);
param odd : f64[7, 3, 96, 20] @ p = normal(std = 1.0);
state heads : f32[8, 4, 128, 32] @ p = zeros();
state sides : f32[6, 128, 24] @ p = zeros();
state odds : f64[7, 3, 96, 20] @ p = zeros();

fn softened(a, c) {
    let s[n, h, i, j] = (sum[e] a[n, h, i, e] * c[n, h, j, e]) * 0.25;
    return softmax(s, dim = 3);
}
fn of_heads() -> f32 @ p {
    let s[n, h, i, j] = (sum[e] q[n, h, i, e] * k[n, h, j, e]) * 0.125 + where(j <= i, 0.0, -1.0e9);
    let a = softmax(s, dim = 3);
    let o[n, h, i, e] = sum[j] a[n, h, i, j] * v[n, h, j, e];
    heads = o;
    return mean(square(o));
}
fn of_sides() -> f32 @ p {
    let s[n, h, i, j] = (sum[e] x[n, i, 0, h, e] * x[n, j, 1, h, e]) * 0.25 + b[h, i, j];
    let a = softmax(s, dim = 3);
    let o[n, h, i, e] = sum[j] a[n, h, i, j] * x[n, j, 2, h, e];
    let y[n, i, d] = sum[h, e] o[n, h, i, e] * w[h, e, d];
    sides = y;
    return mean(square(tanh(y)));
}
fn of_odds() -> f64 @ p {
    let a = softened(odd, odd);
    let o[n, h, i, e] = sum[j] a[n, h, i, j] * odd[n, h, j, e];
    odds = o;
    return mean(square(o));
}

main {
    for turn in 0..2 {
        let (l, g) = value_and_grad(of_heads)();
        each (param, d) in g { param -= 0.1 * d; }
        let (m, h) = value_and_grad(of_sides)();
        each (param, d) in h { param -= 0.1 * d; }
        let (n, i) = value_and_grad(of_odds)();
        each (param, d) in i { param -= 0.1 * d; }
        print(l, m, n);
    }
    save(out);
}
