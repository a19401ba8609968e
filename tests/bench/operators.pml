// One operator over 4096 x 4096 f32, step after step: which one is said by -D OP=.
const N: int = 4096;
const OP: int = 0;
config steps: int = 10;
place all = ranks(0..1);

param x: f32[N, N] @ all = normal(std = 1.0);
param scale: f32[N] @ all = ones();
param shift: f32[N] @ all = zeros();
state y: f32[N, N] @ all = zeros();
state best: f32[N, 10] @ all = zeros();
state at: i32[N, 10] @ all = zeros();
state winner: i64[N] @ all = zeros();
state a: f32[N, N] @ all = ones();
state columns: f32[N] @ all = zeros();
state most: f32 @ all = zeros();

fn normalised() -> f32 @ all {
    return mean(square(layernorm(x, scale, shift)));
}
fn likely() -> f32 @ all {
    return mean(square(softmax(x)));
}
fn bent() -> f32 @ all {
    return mean(square(gelu_tanh(x)));
}
fn summed() -> f32 @ all {
    return mean(square(cumsum(x)));
}

main {
    for i in 0..steps {
        if OP == 0 { y = x; }
        if OP == 1 { y = transpose(x); }
        if OP == 2 { y = transpose(x) * 0.5 + x; }
        if OP == 3 { y = cumsum(x); }
        if OP == 4 { y = cumsum(x, dim = 0); }
        if OP == 5 { let (l, g) = value_and_grad(summed)(); each (p, d) in g { p -= 0.001 * d; } }
        if OP == 6 {
            let (v, p) = top_k(x, 10);
            best = v;
            at = p;
        }
        if OP == 7 { winner = argmax(x, dim = 1) as i64; }
        if OP == 8 { y = sort(x); }
        if OP == 9 { y = layernorm(x, scale, shift); }
        if OP == 10 { let (l, g) = value_and_grad(normalised)(); each (p, d) in g { p -= 0.001 * d; } }
        if OP == 11 { y = softmax(x); }
        if OP == 12 { let (l, g) = value_and_grad(likely)(); each (p, d) in g { p -= 0.001 * d; } }
        if OP == 13 { let (l, g) = value_and_grad(bent)(); each (p, d) in g { p -= 0.001 * d; } }
        if OP == 14 { y = 1.5 * a + x; }
        if OP == 15 { y = a * x + y * (x - 0.5) * relu(x + a); }
        if OP == 16 { y = tanh(x * 0.5) * exp(-x * x) + sigmoid(x); }
        if OP == 17 { columns = sum(x, dim = 0); }
        if OP == 18 { most = max(x); }
    }
}
