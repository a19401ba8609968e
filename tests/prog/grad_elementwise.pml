// First and second derivatives of every elementwise function, at ties too. Values: expected.py (torch).
//% ranks 1 2 3 4
const N : int = 1;
place p = ranks(0..N);

fn f_exp(x: f64[5]) { return sum(exp(x)) to B; }
fn f_ln(x: f64[5]) { return sum(ln(x + 3.0)) to B; }
fn f_sqrt(x: f64[5]) { return sum(sqrt(x + 3.0)) to B; }
fn f_rsqrt(x: f64[5]) { return sum(rsqrt(x + 3.0)) to B; }
fn f_tanh(x: f64[5]) { return sum(tanh(x)) to B; }
fn f_erf(x: f64[5]) { return sum(erf(x)) to B; }
fn f_sin(x: f64[5]) { return sum(sin(x) * cos(x)) to B; }
fn f_abs(x: f64[5]) { return sum(abs(x) * x) to B; }
fn f_square(x: f64[5]) { return sum(square(x) * x) to B; }
fn f_sigmoid(x: f64[5]) { return sum(sigmoid(x)) to B; }
fn f_relu(x: f64[5]) { return sum(relu(x) * x) to B; }
fn f_silu(x: f64[5]) { return sum(silu(x)) to B; }
fn f_gelu(x: f64[5]) { return sum(gelu(x)) to B; }
fn f_softplus(x: f64[5]) { return sum(softplus(x)) to B; }
fn f_div(x: f64[5]) { return sum(1.0 / (x + 3.0)) to B; }
fn f_pow(x: f64[5]) { return sum((x + 3.0) ** 2.5 + x ** 3) to B; }
fn f_max(x: f64[5]) { return sum(maximum(x * x, x) - minimum(x, 0.5)) to B; }
fn f_where(x: f64[5]) { return sum(where(x > 0.0, x * x, sin(x))) to B; }
fn f_far(x: f64[5]) { return sum(sigmoid(x * 1000.0) + silu(x * 1000.0) + softplus(x * 1000.0)) to B; }
fn f_floor(x: f64[5]) { return sum(floor(x) * x + x % 0.7) to B; }

fn both(f, x) {
    let g = grad(f)(x);
    let h = grad(grad_sum(f))(x);
    print(g to B, h to B);
}
fn grad_sum(f) { return f; }

main {
    let x = iota(5) as f64 * 0.5 - 1.0 to @p : S(0);
    print("exp", grad(f_exp)(x) to B, "ln", grad(f_ln)(x) to B, "sqrt", grad(f_sqrt)(x) to B, "rsqrt", grad(f_rsqrt)(x) to B);
    print("tanh", grad(f_tanh)(x) to B, "erf", grad(f_erf)(x) to B, "sin", grad(f_sin)(x) to B, "abs", grad(f_abs)(x) to B);
    print("square", grad(f_square)(x) to B, "sigmoid", grad(f_sigmoid)(x) to B, "relu", grad(f_relu)(x) to B, "silu", grad(f_silu)(x) to B);
    print("gelu", grad(f_gelu)(x) to B, "softplus", grad(f_softplus)(x) to B, "div", grad(f_div)(x) to B, "pow", grad(f_pow)(x) to B);
    print("max", grad(f_max)(x) to B, "where", grad(f_where)(x) to B, "far", grad(f_far)(x) to B, "floor", grad(f_floor)(x) to B);
    both(f_tanh, x);
}
