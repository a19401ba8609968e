// What loops of any number of turns show in one stage of a pipeline: of one loop it may be anything.
place left = ranks(0..1); place right = ranks(1..2);
config n_ : int = 2;
param w : f32[4, 4] @ left = ones();
fn loss[n](x: f32[n, 4] @ left) -> f32 @ right {
    var h = x;
    while mean(h) > 0.3 { h = tanh(h @ w) * 0.1; print(mean(h)); }
    for k in 0..3 { while mean(h) > 0.1 { h = h * 0.5; print(mean(h)); } }
    for k in 0..n_ { while mean(h) > 0.05 { h = h * 0.5; print(mean(h)); } }   //~ PML0522@64
    var y = h to @right;
    while mean(y) > 0.3 { y = y * 0.5; print("silent"); }
    return mean(y);
}
main { print(microbatch(2) { value_and_grad(loss)(ones([4, 4]) to @left) }); }
