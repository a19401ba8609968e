// Two names for the same ranks: a value of one fits where the other is declared, and nothing moves.
place left  = ranks(0..2);
place again = ranks(0..2);
param w : f32[4] @ left  = zeros();
param v : f32[4] @ again : S(0) = zeros();
param u : f32[4] @ left : S(0) = 2.0 * v;
fn f[n](x: f32[n] @ left) -> f32 @ left : P { return sum(x); }
fn h(x: f32[4] @ left : S(0)) -> f32 @ again { return sum(x * w * v) to B; }
fn objective() -> f32 @ again { return h(v); }
main {
    print(f(v) to B, h(v), sum(u) to B);
    w = v to B;
    v = w to S(0);
    let (a, da) = value_and_grad(objective)();
    print(a);
}
