config n : int = 3;
param w : f32[3] = ones();
fn objective(n: int, digits: int) {
    var s = 0.0;
    for i in 0..n {
        s = s + sum(w) * i;
        print(s, digits = i);                         //~ PML0411@27
        print(s, digits = digits);
    }
    return s;
}
main { print(value_and_grad(objective)(n, n)); }
