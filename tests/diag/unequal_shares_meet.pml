// Operands are cut at the same places; nothing moves to make them so.
place p = ranks(0..2);
param w : f32[9, 4] @p : S(0, shares = [2, 1]) = zeros();
fn f(x: f32[9, 4] @p : S(0)) -> f32[9, 4] @p : S(0) { return x; }
main {
    let x = uniform(rng(1), [9, 4]) to @p : S(0, shares = [4, 2]);
    let y = uniform(rng(2), [9, 4]) to @p : S(0, shares = [7, 7]);
    let a = uniform(rng(3), [4, 9]) to @p : S(1, shares = [1, 2]);
    let good = x + w;
    let bad = x + y;           //~ PML0304
    let product = a @ x;       //~ PML0304
    let passed = f(x);         //~ PML0303
    w = y;                     //~ PML0303
    print(sum(f(y)) to B, sum(good) to B);
}
