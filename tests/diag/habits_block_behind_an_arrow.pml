place p = ranks(0..2);
param w : f32[4] @ p = ones();
fn objective() { return sum(w * w); }

main {
    let g = grad(objective)();
    each (q, d) in g => { q -= 0.1 * d; } //~ PML0001@25
}
