// `every` in what is differentiated: counted like the host does, in loops and branches of any kind, from each call.
//% ranks 2 (1)
//% also --loops=unrolled
const N : int = 2;
place p = ranks(0..N);
place q = ranks(N - 1..N);
param w : f32[3] @ p = full(0.5);
param v : f32[3] @ q = full(0.5);
config n : int = 3;
config m : int = 2;
fn cell(h) { every 2 { print("cell", sum(h)); } return h * w; }
fn f(x: f32[3] @ p) -> f32 @ p {
    var h = x * w;
    every 2 { print("top", h); }
    for i in 0..4 { every m { print("turn", i, sum(h)); h = h * 2.0; } h = cell(h); }
    for i in 0..n { for j in 0..2 { every 5 { print("inner", i, j); } } }
    var g = h to @q;
    while sum(g) > 1.0 { every 3 { print("half", sum(g)); } g = g * v; }
    let z = cell(h);
    every 1 { if sum(z) > 1000.0 { return sum(z); } }
    return sum(z) + (sum(g) to @p);
}
main { for i in 0..5 { let (l, g) = value_and_grad(f)(ones([3]) to @p);  print(i, l, g.w, g.v); } }
