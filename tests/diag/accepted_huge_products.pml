// Costs beyond 64 bits are as large as can be: nothing overflows, nothing is allocated. Checked up to the plan by the
// fuzz program, whose seeds these files are.
place p = ranks(0..2);
param w : f32[16, 2147483647] @ p : B = zeros();
fn f(x: f32[2147483647, 16] @ p : S(0)) -> f32 @ p : B { return sum(x @ w) to B; }
main {
    let x = zeros([2147483647, 16]) to @p : S(0);
    print(f(x));
}
