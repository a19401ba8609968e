// A state that is like a derivative, declared in functions that were handed it: one for each param, laid out like the derivative.
//% ranks 1 2 (3 4)
const N : int = 1;
place p = ranks(0..N);
param w : f32[6, 4] @ p = normal(std = 0.5);
param c : f32[4] @ p = zeros();
param t : f32 @ p = 1.5;   // what has no dimensions has no shares

fn loss(x: f32[6, 6] @ p : S(0), a: f32[6, 4] @ p : B, b: f32[4] @ p : B) { return sum(tanh(x @ a + b)) to B; }
fn of_params(x) { return loss(x, w, c); }
fn scaled(x) { return t * loss(x, w, c); }
fn kept(d, rate: float) { state m : like d = zeros(); m = rate * m + d; return m; }
fn outer(d) { return kept(d, 0.5); }
fn smoothed(g: gradient) { return each (q, d) in g => outer(d); }

main {
    let x = uniform(rng(3), [6, 6]) to @p : S(0);
    var a = w;
    var b = c;
    var ma = 0.0 * w;
    var mb = 0.0 * c;
    for i in 0..3 {
        let (da, db) = grad(loss, wrt = ("a", "b"))(x, a, b);
        ma = 0.5 * ma + da to B;
        mb = 0.5 * mb + db to B;
        a = a - 0.1 * ma;
        b = b - 0.1 * mb;
        let g = smoothed(grad(of_params, grads : S(0))(x));
        each (q, d) in g { q = q - 0.1 * d to B; }
    }
    assert_close(w, a);
    assert_close(c, b);
    print(w, c);
    let g = grad(scaled, grads : S(0))(x);
    assert_close(g.t, grad(scaled)(x).t);
    each (q, d) in smoothed(g) { q = q - 0.1 * d to B; }
    print(t);
}
