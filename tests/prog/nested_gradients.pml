// Derivatives inside of functions that are differentiated: by inputs, by params, by steps that were taken, several of them, three deep. The outer
// derivative is by a param wherever it is read. Values: expected.py (torch).
//% ranks 1 (2) 3
//% rtol 1e-4
const N : int = 1;
place p = ranks(0..N);
param a : f32[2, 3] @ p = ones();
param b : f32[3] @ p : S(0) = full(0.3);

fn ramp(w, a: int) { return w * ((reshape((iota(volume(w)) * a % 7) as f32, shape(w)) - 2.5) * 0.3); }
fn u(x: f32[4, 2] @ p : S(0)) { return tanh(x @ ramp(a, 3)) @ (b to B); }
fn total(x: f32[4, 2] @ p : S(0)) { return sum(u(x)) to B; }
fn slope(x: f32[4, 2] @ p : S(0)) { return grad(total, wrt = "x")(x); }
fn slopes(x: f32[4, 2] @ p : S(0)) { return sum(slope(x)) to B; }
fn curve(x: f32[4, 2] @ p : S(0)) { return grad(slopes, wrt = "x")(x); }

// An equation with u, u' and u'' at several places.
fn equation(x: f32[4, 2] @ p : S(0), z: f32[4, 2] @ p : S(0)) -> f32 @ p : B {
    let r = curve(x)[.., 0] + u(x) - slope(z)[.., 1];
    return mean(r * r) + mean(square(slope(x) - 1.0)) to B;
}

// The loss after a step along the gradient (Finn et al., 2017): by arguments, and by the params themselves.
fn fit(w: f32[2, 3] @ p, x: f32[4, 2] @ p : S(0)) -> f32 @ p : B { return mean(square(tanh(x @ w) @ (b to B) - 0.5)) to B; }
fn stepped(x: f32[4, 2] @ p : S(0), z: f32[4, 2] @ p : S(0)) -> f32 @ p : B {
    let w = ramp(a, 3);
    return fit(w - 0.7 * grad(fit, wrt = "w")(w, x), z);
}
fn own(x: f32[4, 2] @ p : S(0)) -> f32 @ p : B { return mean(square(u(x) - 0.5)) to B; }
fn slack(x: f32[4, 2] @ p : S(0)) -> f32 @ p : B {
    let before = sum(a * a);
    let g = grad(own)(x);
    return sum(g.a * ramp(a, 2)) + sum(square(g.b)) + 0.1 * before to B;
}
fn along(x: f32[4, 2] @ p : S(0)) -> f32 @ p : B { return sum(square(jvp(u)(x, x * 0.5)[1])) + sum(u(x)) to B; }
fn norm_of(x: f32[4, 2] @ p : S(0)) -> f32 @ p : B { let g = grad(slack)(x); return sum(square(g.a)) + sum(g.b) to B; }

main {
    let x = reshape(iota(8) as f32, [4, 2]) * 0.2 - 0.5 to @p : S(0);
    let z = x * x;
    for i in 0..2 {
        let (l1, g1) = value_and_grad(equation)(x, z);
        print(l1, g1.a, g1.b to B);
        let (l2, g2) = value_and_grad(stepped)(x, z);
        print(l2, g2.a, g2.b to B);
        let (l3, g3) = value_and_grad(slack)(x);
        print(l3, g3.a, g3.b to B);
        let (l4, g4) = value_and_grad(along)(x);
        print(l4, g4.a, g4.b to B);
        let (l5, g5) = value_and_grad(norm_of)(x);
        print(l5, g5.a, g5.b to B);
        a -= 0.1 * g1.a;
        b -= 0.1 * g3.b;
    }
}
