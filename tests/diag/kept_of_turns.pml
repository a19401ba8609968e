// Turns are not limited; what a gradient or the host wants of each of them is.
fn needed(x: f32[4]) -> f32 { var h = x; for i in 0..9223372036854775807 { h = tanh(h) * h; } return sum(h); }   //~ PML0207@51
fn shown(x: f32[4]) -> f32 { var h = x; for i in 0..1000000000 { for j in 0..10000000000 { h = h * 0.5; print(h); } } return sum(h); }   //~ PML0207@50
main {
    let g = grad(needed, wrt = "x")(ones([4]));
    print(sum(ones([2])));
    let h = grad(shown, wrt = "x")(ones([4]));
    print(g, h);
}
