place p = ranks(0..2);
param w : f32[4] @ p = ones();
fn f(x: f32[4] @ p) -> f32 @ p { return sum(x * w * unequal(x)); }
fn unequal(x) { return x @ ones([3]); } //~ PML0201
main {
    let (l, g) = value_and_grad(f)(ones([4]) to @p);
    print(l, g.w);
}
