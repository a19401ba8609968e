// Loops of which the running program finds that they do not end, or read what is not there.
//% fails [--case=1 --timeout=0.05] seconds and
//% fails [--case=2] this loop is to make 3 turns at the most, and would make 4
param w : [3] f32[4] = ones();
config case : int = 1;
config turns : int = 4;
fn endless(x: f32[4]) -> f32 {
    var h = x;
    while sum(h) > -1.0 { h = h * 1.0 + w[0] * 0.0; }
    return sum(h);
}
fn layers(x: f32[4]) -> f32 {
    var h = x;
    for i in 0..turns { h = h * w[i]; }
    return sum(h);
}
main {
    if case == 1 {
        let (l, g) = value_and_grad(endless)(ones([4]));
        print(l, g.w[0]);
    } else {
        let (l, g) = value_and_grad(layers)(ones([4]));
        print(l, g.w[0]);
    }
}
