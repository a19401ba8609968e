// grad, value_and_grad, vjp, jvp and what they nest to. Values by hand: x = 1 2 3 4.
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);
param w : f32[4] @ p : S(0) = ones();
param v : f32[4] @ p = full(2.0);

fn reads(x) { return sum(w * x * x + v * w) to B; }
fn cubic(x: f32[4]) -> f32 { return sum(x * x * x) to B; }
fn two(x: f32[4], y: f32[4]) -> f32 { return sum(x * y * y) to B; }
fn vector(x: f32[4]) -> f32[4] { return x * x; }
fn pair(x: f32[4]) { return (sum(x) to B, x * 3.0); }
fn stopped(x: f32[4]) -> f32 { return sum(x * stop_gradient(x)) to B; }
fn slope(x: f32[4]) -> f32 { return sum(grad(cubic)(x)) to B; }
fn bend(x: f32[4]) -> f32 { return sum(grad(slope)(x)) to B; }
fn along(x: f32[4], d: f32[4]) -> f32 { return sum(grad(cubic)(x) * d) to B; }
fn push(x: f32[4]) { let (y, t) = jvp(cubic)(x, x); return t; }
fn pull(x: f32[4]) { let (y, t) = vjp(vector)(x, x); return sum(t) to B; }
fn looped(x: f32[4]) { var y = x; for i in 0..3 { y = y * x; } return sum(y) to B; }

main {
    let x = iota(4) as f32 + 1.0 to @p : S(0);
    let (l, g) = value_and_grad(reads)(x);
    print(l, g.w to B, g.v, grad(reads)(x).w to B);
    print(grad(cubic)(x) to B, grad(slope)(x) to B, grad(bend)(x) to B);
    let (a, b) = grad(two)(x, x);
    print(a to B, b to B, grad(two, wrt = "y")(x, x) to B);
    let (c, d) = grad(two, wrt = ("x", "y"))(x, x + 1.0);
    print(c to B, d to B);
    let (y, ct) = vjp(vector)(x, x);
    print(y to B, ct to B);
    let (z, t) = jvp(vector)(x, x + 1.0);
    print(z to B, t to B);
    let (zz, tt) = jvp(two)(x, x, x, x);
    print(zz, tt);
    print(grad(stopped)(x) to B);
    let (lw, gw) = value_and_grad(reads, wrt = "x")(x);
    print(lw, gw to B);
    print(grad(along, wrt = "x")(x, ones([4]) to @p) to B);
    print(grad(push)(x) to B, grad(pull)(x) to B, grad(looped)(x) to B);
    let ((first, second), gp) = value_and_grad(pair)(x);
    print(first, second to B, gp to B);
}
