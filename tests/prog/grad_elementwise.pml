// First and second derivatives of elementwise functions, at ties and far away too. Values: expected.py (torch).
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);

fn f_exp(x) { return exp(x); }
fn f_ln(x) { return ln(x + 3.0); }
fn f_sqrt(x) { return sqrt(x + 3.0); }
fn f_rsqrt(x) { return rsqrt(x + 3.0); }
fn f_tanh(x) { return tanh(x); }
fn f_erf(x) { return erf(x); }
fn f_sin(x) { return sin(x) * cos(x); }
fn f_abs(x) { return abs(x) * x; }
fn f_square(x) { return square(x) * x; }
fn f_sigmoid(x) { return sigmoid(x); }
fn f_relu(x) { return relu(x) * x; }
fn f_silu(x) { return silu(x); }
fn f_gelu(x) { return gelu(x); }
fn f_softplus(x) { return softplus(x); }
fn f_div(x) { return x / (x + 3.0); }
fn f_pow(x) { return (x + 3.0) ** 2.5 + x ** 3; }
fn f_base(x) { return 2.0 ** x; }
fn f_max(x) { return maximum(x * x, x) - minimum(x, 0.7); }
fn f_where(x) { return where(x > 0.0, x * x, sin(x)); }
fn f_far(x) { return sigmoid(x * 1000.0) + silu(x * 1000.0) + softplus(x * 1000.0); }
fn f_floor(x) { return floor(x) * x + x % 0.7; }

// What f's first derivative is summed to: a function of x again.
fn total(f, x) { return sum(f(x)) to B; }

fn exp_1(x: f64[5]) { return total(f_exp, x); }          fn exp_2(x: f64[5]) { return sum(grad(exp_1)(x)) to B; }
fn ln_1(x: f64[5]) { return total(f_ln, x); }            fn ln_2(x: f64[5]) { return sum(grad(ln_1)(x)) to B; }
fn sqrt_1(x: f64[5]) { return total(f_sqrt, x); }        fn sqrt_2(x: f64[5]) { return sum(grad(sqrt_1)(x)) to B; }
fn rsqrt_1(x: f64[5]) { return total(f_rsqrt, x); }      fn rsqrt_2(x: f64[5]) { return sum(grad(rsqrt_1)(x)) to B; }
fn tanh_1(x: f64[5]) { return total(f_tanh, x); }        fn tanh_2(x: f64[5]) { return sum(grad(tanh_1)(x)) to B; }
fn erf_1(x: f64[5]) { return total(f_erf, x); }          fn erf_2(x: f64[5]) { return sum(grad(erf_1)(x)) to B; }
fn sin_1(x: f64[5]) { return total(f_sin, x); }          fn sin_2(x: f64[5]) { return sum(grad(sin_1)(x)) to B; }
fn abs_1(x: f64[5]) { return total(f_abs, x); }          fn abs_2(x: f64[5]) { return sum(grad(abs_1)(x)) to B; }
fn square_1(x: f64[5]) { return total(f_square, x); }    fn square_2(x: f64[5]) { return sum(grad(square_1)(x)) to B; }
fn sigmoid_1(x: f64[5]) { return total(f_sigmoid, x); }  fn sigmoid_2(x: f64[5]) { return sum(grad(sigmoid_1)(x)) to B; }
fn relu_1(x: f64[5]) { return total(f_relu, x); }        fn relu_2(x: f64[5]) { return sum(grad(relu_1)(x)) to B; }
fn silu_1(x: f64[5]) { return total(f_silu, x); }        fn silu_2(x: f64[5]) { return sum(grad(silu_1)(x)) to B; }
fn gelu_1(x: f64[5]) { return total(f_gelu, x); }        fn gelu_2(x: f64[5]) { return sum(grad(gelu_1)(x)) to B; }
fn softplus_1(x: f64[5]) { return total(f_softplus, x); } fn softplus_2(x: f64[5]) { return sum(grad(softplus_1)(x)) to B; }
fn div_1(x: f64[5]) { return total(f_div, x); }          fn div_2(x: f64[5]) { return sum(grad(div_1)(x)) to B; }
fn pow_1(x: f64[5]) { return total(f_pow, x); }          fn pow_2(x: f64[5]) { return sum(grad(pow_1)(x)) to B; }
fn base_1(x: f64[5]) { return total(f_base, x); }        fn base_2(x: f64[5]) { return sum(grad(base_1)(x)) to B; }
fn max_1(x: f64[5]) { return total(f_max, x); }          fn max_2(x: f64[5]) { return sum(grad(max_1)(x)) to B; }
fn where_1(x: f64[5]) { return total(f_where, x); }      fn where_2(x: f64[5]) { return sum(grad(where_1)(x)) to B; }
fn far_1(x: f64[5]) { return total(f_far, x); }          fn far_2(x: f64[5]) { return sum(grad(far_1)(x)) to B; }
fn floor_1(x: f64[5]) { return total(f_floor, x); }

main {
    let x = iota(5) as f64 * 0.5 - 1.0 to @p : S(0);
    print("exp", grad(exp_1)(x) to B, grad(exp_2)(x) to B);
    print("ln", grad(ln_1)(x) to B, grad(ln_2)(x) to B);
    print("sqrt", grad(sqrt_1)(x) to B, grad(sqrt_2)(x) to B);
    print("rsqrt", grad(rsqrt_1)(x) to B, grad(rsqrt_2)(x) to B);
    print("tanh", grad(tanh_1)(x) to B, grad(tanh_2)(x) to B);
    print("erf", grad(erf_1)(x) to B, grad(erf_2)(x) to B);
    print("sin", grad(sin_1)(x) to B, grad(sin_2)(x) to B);
    print("abs", grad(abs_1)(x) to B, grad(abs_2)(x) to B);
    print("square", grad(square_1)(x) to B, grad(square_2)(x) to B);
    print("sigmoid", grad(sigmoid_1)(x) to B, grad(sigmoid_2)(x) to B);
    print("relu", grad(relu_1)(x) to B, grad(relu_2)(x) to B);
    print("silu", grad(silu_1)(x) to B, grad(silu_2)(x) to B);
    print("gelu", grad(gelu_1)(x) to B, grad(gelu_2)(x) to B);
    print("softplus", grad(softplus_1)(x) to B, grad(softplus_2)(x) to B);
    print("div", grad(div_1)(x) to B, grad(div_2)(x) to B);
    print("pow", grad(pow_1)(x) to B, grad(pow_2)(x) to B);
    print("base", grad(base_1)(x) to B, grad(base_2)(x) to B);
    print("max", grad(max_1)(x) to B, grad(max_2)(x) to B);
    print("where", grad(where_1)(x) to B, grad(where_2)(x) to B);
    print("far", grad(far_1)(x) to B, grad(far_2)(x) to B);
    print("floor", grad(floor_1)(x) to B);
}
