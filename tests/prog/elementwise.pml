// Every elementwise operator of the prelude on split operands. Values: expected.py (numpy).
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);

main {
    let a = iota(5) as f32 to @p : S(0);
    let b = (iota(5) as f32) * 0.5 - 1.0 to @p : S(0);
    print("add", a + b to B, "sub", a - b to B, "mul", a * b to B, "div", b / (a + 1.0) to B);
    print("add", add(a, b) to B, "sub", sub(a, b) to B, "mul", mul(a, b) to B, "div", div(b, a + 1.0) to B);
    print("mod", a % 3.0 to B, mod(-a, 3.0) to B, "neg", -b to B, neg(b) to B, "pow", a ** 2.0 to B, b ** 3 to B, pow(a, b) to B);
    print("exp", exp(b) to B, "ln", ln(a + 1.0) to B, "log", log(a + 1.0) to B);
    print("sqrt", sqrt(a) to B, "rsqrt", rsqrt(a + 1.0) to B, "square", square(b) to B);
    print("tanh", tanh(b) to B, "erf", erf(b) to B, "sin", sin(b) to B, "cos", cos(b) to B);
    print("abs", abs(b) to B, "floor", floor(b) to B, floor(-a / 4.0) to B);
    print("sigmoid", sigmoid(b) to B, "relu", relu(b) to B, "silu", silu(b) to B);
    print("gelu", gelu(b) to B, "softplus", softplus(b) to B);
    print("maximum", maximum(a, b) to B, max(a, b) to B, "minimum", minimum(a, b) to B, min(a, b) to B);
    print("clamp", clamp(a, 1.0, 3.0) to B, "where", where(a > 2.0, a, b) to B);
    print("far", sigmoid(b * 200.0) to B, silu(b * 200.0) to B, softplus(b * 200.0) to B, tanh(b * 200.0) to B);
    print("edges", exp(a * 100.0) to B, ln(a - 1.0) to B, 1.0 / a to B);
}
