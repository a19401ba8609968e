place p = ranks(0..2);
param w : f32[4] @ p = ones();
fn f() { return sum(square(w)); }
main {
    let (l, g) = value_and_grad(f)();
    each (q, d) in g {
        let step = 2.0 * d;
        state m : like step = zeros();   //~ PML0507
        q = q - m;
    }
    print(l);
}
