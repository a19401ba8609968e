// Softmax, cross entropy and its gradient with split rows and split classes. Values from NumPy.
//% fold 1 4
//% bits split_losses
import std.loss;
place g = ranks(0..4) as (u = 2, v = 2);
fn f(x: f64[4, 5] @ g : (u=S(0), v=S(1)), t: i32[4] @ g : (u=S(0))) -> f64 @ g : B { return loss.cross_entropy(x, t) to B; }
fn h(x: f64[4, 5] @ g : (u=S(0)), t: i32[4] @ g : (u=S(0))) -> f64 @ g : B { return loss.cross_entropy(x, t) to B; }
main {
    let x = sin(reshape(iota(20), [4, 5]) as f64) * 3.0;
    let t = [0, 4, 2, 2] to @g : (u=S(0));
    let a = x to @g : (u=S(0), v=S(1));
    let b = x to @g : (u=S(0));
    print(softmax(a) to B, f(a, t), grad(f, wrt = "x")(a, t) to B);
    print(softmax(b) to B, h(b, t), grad(h, wrt = "x")(b, t) to B);
    print(variance(b) to B);
    print(logsumexp(a, dim = 0) to B);
}
