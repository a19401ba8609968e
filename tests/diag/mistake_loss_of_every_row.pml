param w : f32[3] = ones();
fn losses(x) { return x * w; }
main {
    let g = grad(losses)(ones([3]));    //~ PML0410
}
