// More turns than there is memory for what the gradient needs of each.
//% fails out of memory in turn 0 of this loop: what its gradient needs of each turn, 800 kB, comes to 8.0 TB for 10000000 turns
//% fails help: `remat every 3163` before the loop keeps what each 3163 turns begin with, and computes them again, 3163 at a time: at most 5.1 GB
place p = ranks(0..1);
param w : f32 @ p = 0.5;
config turns : int = 10000000;
fn f(x: f32[100000] @ p) -> f32 @ p {
    var h = x;
    for i in 0..turns { h = sin(h * w); }
    return sum(h);
}
main {
    let (l, g) = value_and_grad(f)(ones([100000]) to @p);
    print(l, g.w);
}
